#pragma once

#include "core/base/random.h"
#include "core/model/transformer.h"
#include "core/train/trainingconfig.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Which parameters of a model are trained, and which gates with them.
struct TrainedChoice
{
    std::function<bool(const std::string &slot)> isTrained{}; ///< empty: all that can be
    torch::Tensor gates{}; ///< [G], what gates of heads begin with; undefined: there are none
};

/// All trained parameters of a model in one float32 tensor, with the models that are views of it: one to measure with,
/// one to train with, whose matrix products may be in bf16. Tensors that the family keeps as they are
/// (final_logits_bias, which Hugging Face's models do not train) are not among them.
class Parameters
{
public:
    Parameters(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors, bool halfProducts,
               torch::Device device, const TrainedChoice &choice = {});
    Parameters(const Parameters &) = delete;
    Parameters &operator=(const Parameters &) = delete;

    torch::Tensor &values() { return m_values; } ///< [P] float32, gates last
    std::int64_t count() const { return m_values.numel(); }
    std::int64_t gateCount() const { return m_gateCount; } ///< G, 0 without gates
    torch::Tensor gates() const { return m_values.narrow(0, count() - m_gateCount, m_gateCount); } ///< [G] of values()
    const torch::Tensor &gateLeaf() const { return m_leaves.back(); } ///< of gates(); precondition: there are some
    /// By slot name (weights.h), views of values() in their shapes, and the tensors that are not trained.
    const std::map<std::string, torch::Tensor> &tensors() const { return m_tensors; }
    const std::shared_ptr<const Transformer> &model() const { return m_model; } ///< float32
    const Transformer &trainedModel() const { return *m_trainedModel; }         ///< of leaves()

    /// The tensors that gradients are asked for, in the order of values(), whose memory they share.
    const std::vector<torch::Tensor> &leaves() const { return m_leaves; }
    /// Takes the leaves' gradients (undefined = zero) as one float32 tensor [P].
    torch::Tensor flatten(const std::vector<torch::Tensor> &gradients) const;
    /// Brings the copies in bf16 up to date after values() changed.
    void refreshHalves();

private:
    torch::Tensor m_values;
    std::int64_t m_gateCount = 0;
    std::map<std::string, torch::Tensor> m_tensors;
    std::vector<torch::Tensor> m_leaves;
    std::vector<std::pair<torch::Tensor, torch::Tensor>> m_halves; ///< view of m_values, its copy in bf16
    std::shared_ptr<const Transformer> m_model;
    std::unique_ptr<const Transformer> m_trainedModel;
};

/// Fresh weights: matrices uniform in ±√(6/(in+out)) (Glorot and Bengio 2010), over √l in layer l = 1, 2, … (Zhang et
/// al. 2019, "Improving Deep Transformer with Depth-Scaled Initialization and Merged Attention", equation 8), and over
/// √2 where they make queries, keys or values; embeddings normal with deviation 1/√D, norms 1 and 0, biases and content
/// vectors 0. Equal seeds give equal weights. Identical heads have the queries, keys and values of their layer's first,
/// and columns of W_O of their own; equal ones have its columns, too, and so equal gradients. What is equal gets normal
/// noise of `noise` times its deviation.
std::map<std::string, torch::Tensor> initialTensors(const TransformerSpec &spec, std::uint64_t seed,
                                                    InitialHeads heads = InitialHeads::Different, double noise = 0);

/// Mean over the attentions with several heads of √(Σ_h ‖w_h − w̄‖² / Σ_h ‖w_h‖²), w_h being the weights of a head's
/// queries, keys, values and outputs, as far as they are its own: 0 where heads are equal, √(1 − 1/H) where they are
/// independent. Nothing for a model without such attentions.
std::optional<double> headSpread(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors);

} // namespace headscope
