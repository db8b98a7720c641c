#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/positions.h"
#include "core/model/spec.h"
#include "core/model/weights.h"
#include "core/results/relevanceresult.h"

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <utility>

/// How relevance passes backwards through the operations of a Transformer (Voita et al. 2019, appendix).
///
/// Letters: K traces (steps of a translation, or 1), T positions, S positions of keys, H heads, Dh head width, D
/// width. A message about activations x [T, D] is a tensor [K, T, D]: what each trace says of each of them. It
/// depends on the rule what that is – a relevance, or a gradient of which x times it is the relevance. What the base
/// class does is right for relevances.
namespace headscope {

/// One attention between its projections and its contexts, heads apart.
struct AttentionCore
{
    torch::Tensor query;         ///< [H, T, Dh]
    torch::Tensor key;           ///< [H, S, Dh]
    torch::Tensor value;         ///< [H, S, Dh]
    torch::Tensor probabilities; ///< [H, T, S], rows sum to 1
    torch::Tensor context;       ///< [H, T, Dh], probabilities times values
    double scale = 1;            ///< of the scores
    double cap = 0;              ///< c: scores s became c·tanh(s/c); 0: they stayed
    torch::Tensor scores{};      ///< [H, T, S], before a cap; undefined where there is none

    /// [H, T, S], of a cap at its scores: the slope, and capped by uncapped score. Precondition: cap > 0.
    torch::Tensor capSlope() const;
    torch::Tensor capRatio() const;
};

struct AttentionMessages
{
    torch::Tensor query; ///< [K, H, T, Dh]
    torch::Tensor key;   ///< [K, H, S, Dh]
    torch::Tensor value; ///< [K, H, S, Dh]
};

/// A rule of relevance propagation: one function per operation, each of which takes the operation's inputs and the
/// message about its output, and gives the message about its inputs. Messages that meet (a value that is used
/// twice) add up. Immutable: threads may share it. All tensors are float32 or float64, on one device.
class PropagationRule
{
public:
    virtual ~PropagationRule() = default;

    /// Number type of the computation, for a model of this type: bf16 has too few digits for sums of shares.
    virtual torch::ScalarType precision(torch::ScalarType model) const
    {
        return model == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    }
    /// How many numbers a message should have at most: traces that would need more go in several parts. Few enough that
    /// nothing takes long between two looks at a cancel.
    virtual std::int64_t messageNumbers() const { return std::int64_t(1) << 21; }
    /// The message about the output that is traced, for a relevance of 1.
    virtual double start(double /*output*/) const { return 1; }
    /// The relevances [K, …] that a message about x […] gives.
    virtual torch::Tensor relevance(const torch::Tensor & /*x*/, const torch::Tensor &message) const { return message; }

    /// y = W x + b at every position: x [T, in], message [K, T, out] → [K, T, in]. The bias may be undefined.
    virtual torch::Tensor linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const = 0;
    /// Layer or RMS norm: x [T, D], message [K, T, D] → [K, T, D].
    virtual torch::Tensor norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                               const torch::Tensor &message) const = 0;
    /// Element by element: x [T, D], message [K, T, D] → [K, T, D].
    virtual torch::Tensor activation(const torch::Tensor & /*x*/, Activation /*which*/,
                                     const torch::Tensor &message) const
    {
        return message;
    }
    /// Element by element times a factor that counts as constant; message […] → […].
    virtual torch::Tensor shrinking(const torch::Tensor & /*factor*/, const torch::Tensor &message) const
    {
        return message;
    }
    /// message [K, H, T, Dh], about the contexts.
    virtual AttentionMessages attention(const AttentionCore &core, const torch::Tensor &message) const = 0;
    /// a + b, both [T, D]; message [K, T, D] → messages about a and b.
    virtual std::pair<torch::Tensor, torch::Tensor> sum(const torch::Tensor &a, const torch::Tensor &b,
                                                        const torch::Tensor &message) const = 0;
    /// a ∘ b, element by element; message [K, T, F] → messages about a and b. Either factor contributes, by its part of
    /// the Jacobian, the whole product, so that each gets half: the uniform rule of Achtibat et al. 2024, and that of
    /// Jafari et al. 2024 for gates (MambaLRP).
    virtual std::pair<torch::Tensor, torch::Tensor> product(const torch::Tensor &a, const torch::Tensor &b,
                                                            const torch::Tensor &message) const;
    /// Heads turned by their positions' angles, a linear map of two inputs to two outputs: x [H, T, Dh], message
    /// [K, H, T, Dh] → [K, H, T, Dh].
    virtual torch::Tensor rotation(const torch::Tensor &x, const RotaryAngles &angles,
                                   const torch::Tensor &message) const;
};

/// 1/σ of a layer norm of x [T, D], 1/root of an RMS norm: [T, 1].
torch::Tensor normInverse(const torch::Tensor &x, const NormSpec &spec);
/// The input that a norm scales: x without its mean, or x itself.
torch::Tensor normCentred(const torch::Tensor &x, const NormSpec &spec);

/// `attentionConstant`: alpha-beta lets nothing flow through queries and keys. The rule asks `control` in its long
/// loops, and keeps a reference to it.
std::unique_ptr<const PropagationRule> makePropagationRule(RelevanceRule rule, bool attentionConstant,
                                                           const JobControl &control);

} // namespace headscope
