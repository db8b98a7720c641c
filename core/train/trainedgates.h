#pragma once

#include "core/model/gates.h"
#include "core/train/trainingconfig.h"

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace headscope {

/// Gates of heads that are trained, with the model or alone, to decide which heads stay (Voita et al. 2019, section 6;
/// Li et al. 2021). One parameter per gated head, `values` [G] in the order of heads(), owned by the trainer.
/// Immutable.
class TrainedGates
{
public:
    /// Null where the configuration asks for none. Throws Failure for kinds that the model lacks, and more heads than
    /// there are.
    static std::unique_ptr<const TrainedGates> make(const GateConfig &config, const HeadLayout &layout);
    /// Gates of causal head gating (Nam et al. 2025): σ(value) without noise, and as penalty λ times the sum of all
    /// values, whose pull never fades: λ > 0 pulls gates to 0, λ < 0 to 1. `config`: kinds and lambda.
    static std::unique_ptr<const TrainedGates> makeSoft(const GateConfig &config, const HeadLayout &layout);
    virtual ~TrainedGates() = default;

    const std::vector<HeadRef> &heads() const { return m_heads; }
    /// [G], what training begins with.
    virtual torch::Tensor initial(std::uint64_t seed) const = 0;
    /// The gates of an update [G], 0 … 1, by noise of the seed and the update's number alone. Gradients flow into
    /// `values`.
    virtual torch::Tensor draw(const torch::Tensor &values, std::uint64_t seed, std::int64_t step) const = 0;
    /// The term that is added to the loss per target token; undefined: nothing.
    virtual torch::Tensor penalty(const torch::Tensor &values) const = 0;
    /// Clamps values to the range where gradients do not vanish.
    virtual void constrain(torch::Tensor &) const { }
    /// See TrainingPoint::closed.
    virtual std::map<HeadRef, double> closed(const torch::Tensor &values, std::int64_t step) const = 0;
    /// The heads that are closed for good if training ends now.
    virtual HeadMask mask(const torch::Tensor &values) const = 0;

    /// gates [G] as the model takes them; heads without one are open.
    HeadGates gatesOf(const torch::Tensor &gates) const;

protected:
    explicit TrainedGates(std::vector<HeadRef> heads) : m_heads(std::move(heads)) { }
    std::map<HeadRef, double> byHead(const torch::Tensor &numbers) const;
    HeadMask maskOf(const torch::Tensor &isClosed) const;

private:
    std::vector<HeadRef> m_heads; ///< all heads of a layer or none, in the layout's order
};

/// Which of N numbers `logits` [N] are the k largest, as a relaxed mask [N] that sums to k: k times a softmax at a
/// temperature, what was taken fading away (Li, Cotterell and Sachan 2021, section 3.2; Xie and Ermon 2019). Gradients
/// flow.
torch::Tensor relaxedTopK(const torch::Tensor &logits, std::int64_t k, double temperature);

} // namespace headscope
