#pragma once

#include "core/model/spec.h"
#include "core/tensor/halfproduct.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// One tensor a spec needs: our name and its shape. Names: "encoder.embedding", "encoder.2.self.query.weight",
/// "decoder.0.cross.out.bias", "decoder.3.feed_forward.in.weight", "encoder.norm.weight", "output.bias",
/// "classifier.dense.weight".
struct WeightSlot
{
    std::string name;
    std::vector<std::int64_t> shape;
};

std::vector<WeightSlot> weightSlots(const TransformerSpec &spec);

struct Linear
{
    torch::Tensor weight; ///< [out, in]
    torch::Tensor bias;   ///< [out]
    torch::Tensor half;   ///< weight in bf16, in training: products are then made with it

    torch::Tensor operator()(const torch::Tensor &input) const
    {
        return half.defined() ? halfLinear(input, weight, bias, half) : torch::linear(input, weight, bias);
    }
};

struct Norm
{
    torch::Tensor weight; ///< [D]
    torch::Tensor bias;   ///< [D]
};

struct AttentionWeights
{
    Linear query, key, value; ///< [H·Dh, D]
    Linear out;               ///< [D, H·Dh]
    Norm norm;
    std::int64_t heads = 0;
};

struct LayerWeights
{
    AttentionWeights self;
    AttentionWeights cross; ///< undefined tensors in an encoder
    Linear feedForwardIn, feedForwardOut;
    Norm feedForwardNorm;
};

struct StackWeights
{
    torch::Tensor embedding;         ///< [V, E]
    torch::Tensor positionEmbedding; ///< [rows, E]
    torch::Tensor typeEmbedding;     ///< [types, E]
    Norm embeddingNorm;              ///< [E]
    Linear projection;               ///< [D, E]
    Norm finalNorm;
    std::vector<LayerWeights> layers;
};

struct TransformerWeights
{
    StackWeights encoder;
    StackWeights decoder;
    torch::Tensor outputWeight; ///< [V, D]
    torch::Tensor outputBias;   ///< [V] or undefined
    torch::Tensor outputHalf;   ///< outputWeight in bf16, in training
    Linear classifierDense;     ///< [D, D]
    Linear classifierOut;       ///< [K, D]

    /// Puts tensors by slot name where they belong, those of `halves` beside them. Precondition: every slot of the spec is
    /// in `tensors`.
    static TransformerWeights assemble(const TransformerSpec &spec,
                                       const std::map<std::string, torch::Tensor> &tensors,
                                       const std::map<std::string, torch::Tensor> &halves = {});
};

} // namespace headscope
