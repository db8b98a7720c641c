#pragma once

#include "core/model/walk.h"
#include "core/relevance/tape.h"
#include "core/relevance/tracedweights.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace headscope {

/// Contexts of the heads of an attention.
struct TapedContexts
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    Taped contexts; ///< [H, T, Dh]
};

/// The walk over one sentence without padding that writes every operation on a tape. A layer without heads, which adds
/// nothing but a bias, adds a constant.
class RecordingExecutor
{
public:
    using Matrix = Taped;

    /// Keeps references. `memory`: what the decoder of an encoder-decoder reads. `contexts` gets those of every
    /// attention that has heads.
    RecordingExecutor(const TransformerSpec &spec, Side side, const TracedWeights &weights, const Taped *memory,
                      Tape &tape, std::vector<TapedContexts> &contexts, const JobControl &control)
        : m_spec(spec), m_stack(*spec.stack(side)), m_weights(weights.stack(side)), m_memory(memory), m_tape(tape),
          m_contexts(contexts), m_control(control)
    {
    }

    void arrive(int place, const Taped &hidden) const;
    Taped normalize(int place, const Taped &x) const;
    Taped normalizeOutput(int place, const Taped &x) const;
    /// A constant where no head is left.
    Taped attend(int place, const AttentionSpec &attention, const Taped &x, const Taped &hidden);
    /// No gate: masked heads have been taken out.
    Taped gate(int place, const AttentionSpec &attention, Taped contexts) const;
    Taped close(int place, const AttentionSpec &attention, const Taped &contexts, const Taped &hidden) const;
    Taped feedForward(int place, const FeedForwardSpec &feedForward, const Taped &x) const;
    Taped scale(const Taped &output, double by) const;
    Taped add(const Taped &hidden, const Taped &output) const;

private:
    struct Heads
    {
        Taped query, key, value;
    };
    /// As the scores are made of them, one key–value head for every head.
    Heads project(int place, const AttentionSpec &attention, const Taped &x) const;
    /// Heads after their norm, those of numbers `left` where all were projected.
    Taped normed(const Taped &heads, const AttentionSpec &attention, const Norm &norm,
                 const std::vector<int> &left) const;
    Taped throughLayer(const FeedForwardSpec &feedForward, const FeedForwardWeights &weights, const Taped &x) const;
    /// How much of each expert a position gets counts as constant.
    Taped throughExperts(const FeedForwardSpec &feedForward, const FeedForwardWeights &weights, const Taped &x) const;
    torch::Tensor scoreBias(const AttentionSpec &attention, std::int64_t queries, std::int64_t keys,
                            const torch::TensorOptions &options);

    const TransformerSpec &m_spec;
    const StackSpec &m_stack;
    const TracedStack &m_weights;
    const Taped *m_memory;
    Tape &m_tape;
    std::vector<TapedContexts> &m_contexts;
    const JobControl &m_control;
    /// By whether it is causal, its reach (−1: it sees all), the number of keys, and the heads where they matter.
    std::map<std::tuple<bool, std::int64_t, std::int64_t, std::vector<int>>, torch::Tensor> m_scoreBiases;
};

} // namespace headscope
