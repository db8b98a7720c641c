#pragma once

#include "core/model/spec.h"
#include "core/tensor/halfkernels.h"
#include "core/tensor/halfproduct.h"
#include "core/tensor/widenedproduct.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headscope {

/// One tensor a spec needs: our name and its shape. Names: "encoder.embedding", "encoder.relative_bias",
/// "encoder.2.self.query.weight", "decoder.0.cross.out.bias", "encoder.0.self.mixing", "encoder.0.self.content.weight",
/// "decoder.0.self.query_norm.weight", "decoder.3.feed_forward.gate.weight",
/// "decoder.3.feed_forward.output_norm.weight", "decoder.3.feed_forward.router.weight",
/// "decoder.3.feed_forward.expert.5.in.weight", "decoder.0.self.sinks", "encoder.norm.weight", "output.bias",
/// "classifier.dense.weight", "masked_lm.norm.bias".
struct WeightSlot
{
    std::string name;
    std::vector<std::int64_t> shape;
};

std::vector<WeightSlot> weightSlots(const TransformerSpec &spec);

/// Whether a slot is a matrix that products are made with or rows are looked up in. Of large models it keeps the number
/// type of the file where that is narrower than what is computed in; everything else is small, and widened at once.
bool isLargeMatrix(const WeightSlot &slot);

/// "encoder.2.self", "decoder.0.cross", "decoder.3.feed_forward": what names of a sub-layer's tensors begin with.
std::string subLayerName(Side side, const SubLayer &sub);

struct Linear
{
    torch::Tensor weight; ///< [out, in], of a narrower type than the input's where the file has that (isLargeMatrix())
    torch::Tensor bias;   ///< [out] or undefined
    torch::Tensor half;   ///< weight in bf16, in training: products are then made with it

    torch::Tensor operator()(const torch::Tensor &input) const
    {
        if (half.defined())
            return halfLinear(input, weight, bias, half);
        if (weight.scalar_type() != input.scalar_type())
            return widenedLinear(input, weight, bias);
        const auto alone = lockHalfKernels(input.options());
        return torch::linear(input, weight, bias);
    }
};

/// Weights and biases that a spec does without are here all the same, as ones and zeros.
struct Norm
{
    torch::Tensor weight; ///< [D]
    torch::Tensor bias;   ///< [D]; undefined in RMS norms
};

struct AttentionWeights
{
    Linear query;           ///< [H·Dh, D], H projectedQueries(), or [D̃_k, D] of all heads together (projections.h)
    Linear key, value;      ///< [Hk·Dh, D], Hk key–value heads; shared keys [D̃_k, D]
    Linear out;             ///< [D, H·Dh]
    torch::Tensor mixing{}; ///< [H, D̃_k] of shared projections; undefined: heads have their own
    Linear content{};       ///< [H, D], the content vectors beside it; undefined: there are none
    Norm queryNorm{};       ///< [Dh], [H, Dh], or [H·Dh] of a norm over all heads; undefined: there is none
    Norm keyNorm{};
    /// [H·Dh, D], of distances (disentangled.h); undefined: those of tokens are, or there are none
    Linear distanceKey{}, distanceQuery{};
    torch::Tensor sinks{}; ///< [H]; undefined: there are none
};

struct FeedForwardWeights
{
    Linear in, gate, out; ///< undefined where the layer is not gated, or has experts and no other layer beside them
    Linear router{};      ///< [experts, D]
    Linear sharedGate{};  ///< [1, D]
    std::vector<FeedForwardWeights> experts{};
};

struct SubLayerWeights
{
    Norm norm;
    std::variant<AttentionWeights, FeedForwardWeights> part;
    Norm outputNorm{}; ///< [D]

    const AttentionWeights &attention() const { return std::get<AttentionWeights>(part); }
    AttentionWeights &attention() { return std::get<AttentionWeights>(part); }
    const FeedForwardWeights &feedForward() const { return std::get<FeedForwardWeights>(part); }
};

struct StackWeights
{
    torch::Tensor embedding;         ///< [V, E], of the file's type as Linear::weight
    torch::Tensor positionEmbedding; ///< [rows, E]
    torch::Tensor typeEmbedding;     ///< [types, E]
    Norm embeddingNorm;              ///< [E]
    Linear projection;               ///< [D, E]
    torch::Tensor relativeBias;      ///< [buckets, heads before pruning]
    torch::Tensor distances;         ///< [2·span, D], of disentangled attention
    Norm distanceNorm;               ///< [D]
    std::vector<SubLayerWeights> subLayers;
    Norm finalNorm;

    const SubLayerWeights &at(int place) const { return subLayers[static_cast<std::size_t>(place)]; }
    SubLayerWeights &at(int place) { return subLayers[static_cast<std::size_t>(place)]; }
};

struct TransformerWeights
{
    StackWeights encoder;
    StackWeights decoder;
    torch::TensorOptions options; ///< of what is computed: device and number type
    torch::Tensor outputWeight;   ///< [V, D], or [V, E] after the head of a masked-token model; as Linear::weight
    Linear outputProjection;      ///< [E, D], of a spec that projectsTokens
    torch::Tensor outputBias;     ///< [V] or undefined
    torch::Tensor outputHalf;     ///< outputWeight in bf16, in training
    Linear classifierDense;       ///< [D, D]
    Norm classifierNorm;          ///< [D]; undefined: there is none
    Linear classifierOut;         ///< [K, D]
    Linear maskedDense;           ///< [E, D]
    Norm maskedNorm;              ///< [E]
    /// Releases the memory of the file that weights are read from; what is used comes from there again. Empty: no
    /// weight is.
    std::function<void()> forgetPages{};

    const StackWeights &stack(Side side) const { return side == Side::Encoder ? encoder : decoder; }
    StackWeights &stack(Side side) { return side == Side::Encoder ? encoder : decoder; }

    /// Puts tensors by slot name where they belong, those of `halves` beside them. `computed`: what is computed in;
    /// none: what the tensors are of. Precondition: every slot of the spec is in `tensors`.
    static TransformerWeights assemble(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors,
                                       const std::map<std::string, torch::Tensor> &halves = {},
                                       const std::optional<torch::TensorOptions> &computed = {});
};

} // namespace headscope
