#pragma once

#include "core/model/spec.h"

#include <optional>
#include <utility>

namespace headscope {

/// How far the computation of a stack has come: before sub-layer `place`, or within it, before the gate of an attention
/// whose contexts are known already.
template<typename Matrix>
struct WalkState
{
    int place = 0;
    Matrix hidden{};                 ///< what the sub-layer adds to
    std::optional<Matrix> context{}; ///< of the attention at `place`, before its gate
    std::optional<Matrix> before{};  ///< what a sub-layer beside the last one reads
};

/// The order of operations in a stack of layers (Vaswani et al. 2017; pre-norm: Xiong et al. 2020; attention and
/// feed-forward side by side: Wang and Komatsuzaki 2021), said once: from wherever `state` stands to before sub-layer
/// `until`. The executor knows how to do each operation on its kind of rows:
///   arrive(place, hidden)               looks at cancels, listens, keeps
///   normalize(place, x)                 the norm of what a sub-layer reads, or of the sum
///   normalizeOutput(place, x)           the norm of what a sub-layer adds
///   attend(place, attention, x, hidden) contexts of attention from its input x, not gated; may leave rows of `hidden`
///                                       after that nothing will be asked of
///   gate(place, attention, context)     c_h ← gate·c_h + (1 − gate)·replacement
///   close(place, attention, context, hidden)  the output projection
///   feedForward(place, feedForward, x)
///   scale(output, by)                   of what a sub-layer adds, where the model has a factor for it
///   add(hidden, output)                 the residual connection
template<typename Executor>
void walk(const TransformerSpec &spec, Side side, WalkState<typename Executor::Matrix> &state, int until,
          Executor &executor)
{
    const StackSpec &stack = *spec.stack(side);
    const NormPlacement norms = spec.norm.placement;
    for (; state.place < until; ++state.place) {
        const int place = state.place;
        const SubLayer &sub = stack.at(place);
        executor.arrive(place, state.hidden);
        const auto input = [&] {
            const auto &read = sub.beside ? *state.before : state.hidden;
            return normsInput(norms) && sub.normsInput ? executor.normalize(place, read) : read;
        };
        typename Executor::Matrix output;
        if (const AttentionSpec *attention = sub.attention()) {
            auto context
                = state.context ? *std::move(state.context) : executor.attend(place, *attention, input(), state.hidden);
            state.context.reset();
            output
                = executor.close(place, *attention, executor.gate(place, *attention, std::move(context)), state.hidden);
        } else {
            output = executor.feedForward(place, *sub.feedForward(), input());
        }
        state.before.reset();
        if (place + 1 < stack.places() && stack.at(place + 1).beside)
            state.before = state.hidden;
        if (normsOutput(norms))
            output = executor.normalizeOutput(place, std::move(output));
        if (spec.residualScale != 1)
            output = executor.scale(std::move(output), spec.residualScale);
        auto sum = executor.add(std::move(state.hidden), std::move(output));
        state.hidden = normsSum(norms) ? executor.normalize(place, std::move(sum)) : std::move(sum);
    }
}

} // namespace headscope
