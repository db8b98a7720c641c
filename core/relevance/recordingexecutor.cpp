#include "core/relevance/recordingexecutor.h"

#include "core/model/transformer.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace headscope {

void RecordingExecutor::arrive(int, const Taped &) const
{
    m_control.checkpoint();
}

Taped RecordingExecutor::normalize(int place, const Taped &x) const
{
    return m_tape.norm(x, m_weights.at(place).norm, m_spec.norm);
}

Taped RecordingExecutor::normalizeOutput(int place, const Taped &x) const
{
    const Norm &norm = m_weights.at(place).outputNorm;
    if (x.isConstant())
        return {x.x.defined() ? headscope::normalize(x.x, norm, m_spec.norm) : x.x};
    return m_tape.norm(x, norm, m_spec.norm);
}

/// Terms that are added to scores, [T, S] or [H, T, S]; undefined: nothing. The same in all layers with the same heads.
torch::Tensor RecordingExecutor::scoreBias(const AttentionSpec &attention, std::int64_t queries, std::int64_t keys,
                                           const torch::TensorOptions &options)
{
    if (!attention.causal && !attention.relative && !attention.reach)
        return {};
    torch::Tensor &bias = m_scoreBiases[{attention.causal, attention.reach.value_or(-1), keys,
                                         attention.relative ? attention.heads : std::vector<int>()}];
    if (bias.defined())
        return bias;
    constexpr double kHidden = std::numeric_limits<float>::lowest();
    const auto position = torch::arange(std::max(queries, keys), options.dtype(torch::kInt64));
    const auto apart = position.slice(0, 0, keys) - position.slice(0, 0, queries).unsqueeze(1); // [T, S]
    if (attention.causal)
        bias = torch::full({queries, keys}, kHidden, options).triu_(1);
    if (attention.reach)
        bias = (bias.defined() ? bias : torch::zeros({queries, keys}, options))
                   .masked_fill(apart.abs() > *attention.reach, kHidden);
    if (!attention.relative)
        return bias;
    const auto scores
        = relativeScores(m_weights.relativeBias, *attention.relative, attention.heads, queries - 1, keys - 1);
    const auto distance = apart + (queries - 1);
    const auto relative = scores.index_select(1, distance.flatten()).view({-1, queries, keys});
    return bias = bias.defined() ? relative + bias : relative;
}

RecordingExecutor::Heads RecordingExecutor::project(int place, const AttentionSpec &attention, const Taped &x) const
{
    const TracedAttention &weights = m_weights.at(place).attention();
    const Tape::HeadColumns queries{attention.projectedQueries(), attention.scoreWidth()};
    const Tape::HeadColumns keys{attention.projectedKeys(), attention.scoreWidth()};
    const Tape::HeadColumns values{std::ssize(attention.keyHeads()), attention.headWidth};
    const Taped own = m_tape.clipped(m_tape.linear(x, weights.own), attention.clip);
    Heads result;
    if (attention.readsMemory()) {
        result.query = m_tape.heads(own, {queries}).front();
        const auto parts
            = m_tape.heads(m_tape.clipped(m_tape.linear(*m_memory, weights.memory), attention.clip), {keys, values});
        result.key = parts[0];
        result.value = parts[1];
    } else {
        const auto parts = m_tape.heads(own, {queries, keys, values});
        result = {parts[0], parts[1], parts[2]};
    }
    if (attention.headNorm) {
        result.query = normed(result.query, attention, weights.queryNorm, attention.heads);
        result.key = normed(result.key, attention, weights.keyNorm, attention.keyHeads());
    }
    if (attention.rotary) {
        const auto positions = torch::arange(x.x.size(0), x.x.options().dtype(torch::kInt64));
        const RotaryAngles angles = rotaryAngles(*attention.rotary, attention.headWidth, positions, x.x.options());
        result.query = m_tape.rotation(result.query, angles);
        if (!attention.readsMemory())
            result.key = m_tape.rotation(result.key, angles);
    }
    if (attention.keyCount() < attention.headCount())
        result.key = m_tape.repeated(result.key, attention.keyPlaces());
    if (values.count < attention.headCount())
        result.value = m_tape.repeated(result.value, attention.valuePlaces());
    return result;
}

Taped RecordingExecutor::normed(const Taped &heads, const AttentionSpec &attention, const Norm &norm,
                                const std::vector<int> &left) const
{
    const NormSpec spec = attention.headNorm->norm();
    if (!attention.headNorm->together)
        return m_tape.headNorm(heads, norm, spec);
    const std::int64_t count = heads.x.size(0);
    const auto all
        = m_tape.heads(m_tape.norm(m_tape.columns(heads), norm, spec), {{count, attention.headWidth}}).front();
    return count == std::ssize(left) ? all : m_tape.repeated(all, {left.begin(), left.end()});
}

Taped RecordingExecutor::attend(int place, const AttentionSpec &attention, const Taped &x, const Taped &)
{
    if (attention.heads.empty())
        return {};
    const Heads heads = project(place, attention, x);
    const auto bias = scoreBias(attention, heads.query.x.size(1), heads.key.x.size(1), x.x.options());
    const Taped contexts
        = m_tape.attention(heads.query, heads.key, heads.value, {attention.scale, attention.scoreCap}, bias);
    m_contexts.push_back({attention.kind, m_stack.at(place).layer, contexts});
    return contexts;
}

Taped RecordingExecutor::gate(int, const AttentionSpec &, Taped contexts) const
{
    return contexts;
}

Taped RecordingExecutor::close(int place, const AttentionSpec &, const Taped &contexts, const Taped &) const
{
    const Linear &out = m_weights.at(place).attention().out;
    return contexts.isConstant() ? Taped{out.bias} : m_tape.linear(m_tape.columns(contexts), out);
}

Taped RecordingExecutor::feedForward(int place, const FeedForwardSpec &feedForward, const Taped &x) const
{
    const FeedForwardWeights &weights = m_weights.at(place).feedForward();
    const Taped inside = m_tape.linear(x, weights.in);
    if (!feedForward.gated)
        return m_tape.linear(m_tape.activation(inside, feedForward.activation), weights.out);
    const Taped gate = m_tape.activation(m_tape.linear(x, weights.gate), feedForward.activation);
    return m_tape.linear(m_tape.product(gate, inside), weights.out);
}

Taped RecordingExecutor::add(const Taped &hidden, const Taped &output) const
{
    return m_tape.sum(hidden, output);
}

} // namespace headscope
