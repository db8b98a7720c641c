#pragma once

#include "core/base/random.h"
#include "core/model/transformer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// All trained numbers of a model in one float32 tensor, with the models that look at them: one to measure with, one
/// whose matrices may be in bf16 to train with. Tensors that the family keeps as they are (final_logits_bias, which
/// Hugging Face's models do not train) are not among them.
class Parameters
{
public:
    Parameters(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors,
               torch::ScalarType workType, torch::Device device);
    Parameters(const Parameters &) = delete;
    Parameters &operator=(const Parameters &) = delete;

    torch::Tensor &values() { return m_values; }       ///< [P] float32
    std::int64_t count() const { return m_values.numel(); }
    /// By slot name (weights.h), views of values() in their shapes, and the tensors that are not trained.
    const std::map<std::string, torch::Tensor> &tensors() const { return m_tensors; }
    const std::shared_ptr<const Transformer> &model() const { return m_model; } ///< float32
    const Transformer &workingModel() const { return *m_workingModel; }

    /// Leaves of the working model, in the order of values().
    const std::vector<torch::Tensor> &leaves() const { return m_leaves; }
    /// Takes the leaves' gradients (undefined = zero) as one float32 tensor [P].
    torch::Tensor flatten(const std::vector<torch::Tensor> &gradients) const;
    /// Brings values() into the working model after they changed.
    void refreshWorkingModel();

private:
    torch::Tensor m_values;
    std::map<std::string, torch::Tensor> m_tensors;
    std::vector<torch::Tensor> m_views;  ///< of m_values, in order
    std::vector<torch::Tensor> m_leaves;
    std::shared_ptr<const Transformer> m_model;
    std::unique_ptr<const Transformer> m_workingModel;
};

/// Fresh weights: matrices uniform in ±√(6/(in+out)) (Glorot and Bengio 2010), embeddings normal with deviation
/// 1/√D, norms 1 and 0, biases 0. Equal seeds give equal weights.
std::map<std::string, torch::Tensor> initialTensors(const TransformerSpec &spec, std::uint64_t seed);

} // namespace headscope
