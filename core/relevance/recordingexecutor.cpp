#include "core/relevance/recordingexecutor.h"

#include "core/model/experts.h"
#include "core/model/transformer.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

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
    if (!attention.causal && !attention.addsDistances() && !attention.reach)
        return {};
    torch::Tensor &bias = m_scoreBiases[{attention.causal, attention.reach.value_or(-1), keys,
                                         attention.addsDistances() ? attention.heads : std::vector<int>()}];
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
    if (!attention.addsDistances())
        return bias;
    const auto scores = relativeScores(m_weights.relativeBias, attention, queries - 1, keys - 1).to(options);
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
    if (!attention.headNorm->together)
        return m_tape.headNorm(heads, norm, *attention.headNorm);
    const NormSpec spec = attention.headNorm->norm();
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
    const Taped contexts = m_tape.attention(heads.query, heads.key, heads.value, {attention.scale, attention.scoreCap},
                                            bias, m_weights.at(place).attention().sinks);
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
    return throughLayer(feedForward, m_weights.at(place).feedForward(), x);
}

Taped RecordingExecutor::throughLayer(const FeedForwardSpec &feedForward, const FeedForwardWeights &weights,
                                      const Taped &x) const
{
    if (feedForward.experts)
        return throughExperts(feedForward, weights, x);
    Taped inside = m_tape.linear(x, weights.in);
    if (!feedForward.gated)
        return m_tape.linear(m_tape.activation(inside, feedForward.activation), weights.out);
    Taped gate = m_tape.linear(x, weights.gate);
    if (feedForward.limit > 0) {
        gate = m_tape.clipped(gate, -std::numeric_limits<double>::infinity(), feedForward.limit);
        inside = m_tape.sum(m_tape.clipped(inside, feedForward.limit), {torch::ones({}, inside.x.options())});
    }
    gate = m_tape.activation(gate, feedForward.activation);
    return m_tape.linear(m_tape.product(gate, inside), weights.out);
}

Taped RecordingExecutor::throughExperts(const FeedForwardSpec &feedForward, const FeedForwardWeights &weights,
                                        const Taped &x) const
{
    const Experts &experts = *feedForward.experts;
    const ExpertChoice choice = chosenExperts(experts, weights.router(x.x));
    const RowsByExpert sorted(choice, experts.count);
    std::vector<Taped> parts;
    for (std::int64_t e = 0; e < experts.count; ++e) {
        const auto place = static_cast<std::size_t>(e);
        const std::int64_t count = sorted.begin[place + 1] - sorted.begin[place];
        if (count > 0)
            parts.push_back(throughLayer(feedForward.expert(), weights.experts[place],
                                         m_tape.rows(x, sorted.rows.narrow(0, sorted.begin[place], count))));
    }
    const Taped outputs = m_tape.arranged(parts, sorted.back); // choice k of row r at r·K + k
    const auto first = torch::arange(x.x.size(0), sorted.back.options()) * experts.chosen;
    std::vector<Taped> added;
    for (std::int64_t k = 0; k < experts.chosen; ++k)
        added.push_back(m_tape.scaled(m_tape.rows(outputs, first + k), choice.weights.narrow(1, k, 1)));
    if (feedForward.width > 0) {
        FeedForwardSpec shared = feedForward;
        shared.experts.reset();
        const Taped output = throughLayer(shared, weights, x);
        added.push_back(experts.gatesShared ? m_tape.scaled(output, torch::sigmoid(weights.sharedGate(x.x))) : output);
    }
    Taped sum = added.front();
    for (std::size_t i = 1; i < added.size(); ++i)
        sum = m_tape.sum(sum, added[i]);
    return sum;
}

Taped RecordingExecutor::scale(const Taped &output, double by) const
{
    if (output.isConstant())
        return {output.x.defined() ? output.x * by : output.x};
    return m_tape.scaled(output, torch::full({}, by, output.x.options()));
}

Taped RecordingExecutor::add(const Taped &hidden, const Taped &output) const
{
    return m_tape.sum(hidden, output);
}

} // namespace headscope
