#include "core/relevance/traversal.h"

#include "core/model/generate.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

namespace headscope {
namespace {

constexpr std::size_t indexOf(Side side)
{
    return static_cast<std::size_t>(side);
}

void append(torch::Tensor &all, const torch::Tensor &more)
{
    if (more.defined())
        all = all.defined() ? torch::cat({all, more}) : more;
}

/// Traces of further steps of the same sentence.
void append(RelevanceTrace &all, const RelevanceTrace &more)
{
    for (const auto &[where, values] : more.heads)
        append(all.heads[where], values);
    append(all.source, more.source);
    append(all.prefix, more.prefix);
    append(all.total, more.total);
    all.targets.insert(all.targets.end(), more.targets.begin(), more.targets.end());
}

const TransformerSpec &checked(const TransformerSpec &spec)
{
    if (!spec.decoder && !spec.classifier)
        throw Failure(
            usageError("Relevance is traced back from a decoder's token or a classifier's label. This model is "
                       "an encoder that has neither."));
    if (spec.classifier && spec.classifier->mean)
        throw Failure(usageError("Relevance is not traced back from a classifier by the mean of all positions "
                                 "(\"classifier_pooling\": \"mean\")."));
    for (const Side side : kBothSides) {
        if (spec.stack(side) && spec.stack(side)->disentangled())
            throw Failure(
                usageError("Relevance is not traced through disentangled attention (DeBERTa): no rule says how "
                           "scores pass it on to distances."));
    }
    return spec;
}

} // namespace

/// A sentence's forward pass.
struct Traversal::Forward
{
    Tape tape;
    std::vector<TapedContexts> contexts{};
    std::array<Taped, 2> embeddings{}; ///< by Side, the sums [T, E]; constants where there is no such stack
};

/// The relevance that traces start from: a logit, before any cap, at each of P positions, a row of `rows` applied to
/// its position of `x`.
struct Traversal::Origin
{
    Taped x;     ///< [P, D]
    Linear rows; ///< [P, D]; the bias may be undefined
    std::vector<std::int64_t> targets;
};

Traversal::Traversal(const Transformer &model, const PropagationRule &rule, const JobControl &control,
                     std::int64_t messageNumbers)
    : m_model(model), m_rule(rule), m_control(control),
      m_weights(checked(model.spec()), model.weights(), rule.precision(model.dtype())),
      m_messageNumbers(messageNumbers > 0 ? messageNumbers : rule.messageNumbers())
{
}

/// A stack's output [T, D], with the norm that may follow it.
Taped Traversal::throughStack(Side side, const TokenBatch &tokens, const Taped *memory, Forward &forward) const
{
    const TransformerSpec &spec = m_model.spec();
    const TracedStack &weights = m_weights.stack(side);
    // The decoder's first token may be the padding id.
    const auto positions = side == Side::Decoder ? torch::arange(tokens.ids.size(1), tokens.ids.options())
                                                 : positionsOf(tokens.ids, spec);
    torch::Tensor sum;
    (void)m_model.embed(side, tokens.ids, positions, tokens.typeIds, &sum);
    Tape &tape = forward.tape;
    WalkState<Taped> state;
    state.hidden = forward.embeddings[indexOf(side)] = tape.leaf(exact(sum[0]));
    if (spec.embeddingNorm)
        state.hidden = tape.norm(state.hidden, weights.embeddingNorm, spec.norm);
    if (weights.projection.weight.defined() && !spec.projectsTokens)
        state.hidden = tape.linear(state.hidden, weights.projection);
    RecordingExecutor executor(spec, side, m_weights, memory, tape, forward.contexts, m_control);
    walk(spec, side, state, spec.stack(side)->places(), executor);
    return spec.finalNorm ? tape.norm(state.hidden, weights.finalNorm, spec.norm) : state.hidden;
}

Traversal::Origin Traversal::labelOrigin(const Taped &output, Forward &forward) const
{
    Tape &tape = forward.tape;
    const Linear &out = m_model.weights().classifierOut;
    const ClassifierSpec &classifier = *m_model.spec().classifier;
    Taped active = tape.position(output, m_model.spec().lastSide() == Side::Encoder ? 0 : output.x.size(0) - 1);
    if (classifier.dense)
        active = tape.activation(tape.linear(active, m_weights.classifierDense), classifier.activation);
    if (classifier.normed)
        active = tape.norm(active, m_weights.classifierNorm, m_model.spec().norm);
    const auto logits = torch::linear(active.x, exact(out.weight), exact(out.bias));
    const auto target = logits.argmax(1).item<std::int64_t>();
    const auto bias = out.bias.defined() ? exact(out.bias.narrow(0, target, 1)) : torch::Tensor();
    return {active, {exact(out.weight.narrow(0, target, 1)), bias, {}}, {target}};
}

Traversal::Origin Traversal::tokenOrigin(const Taped &decoded) const
{
    const TransformerSpec &spec = m_model.spec();
    const TransformerWeights &weights = m_model.weights();
    auto logits = m_model.logits(decoded.x.to(m_model.dtype()));
    ScoreProcessor(spec.generation).banLogits(logits);
    const auto chosen = logits.argmax(1);
    const auto tokens = chosen.cpu();
    const auto *token = tokens.data_ptr<std::int64_t>();
    auto rows = exact(weights.outputWeight.index_select(0, chosen)) * spec.outputScale;
    if (spec.projectsTokens)
        rows = torch::matmul(rows, exact(weights.outputProjection.weight));
    return {
        decoded,
        {rows, weights.outputBias.defined() ? exact(weights.outputBias.index_select(0, chosen)) : torch::Tensor(), {}},
        {token, token + tokens.size(0)}};
}

/// Relevance of traces `first` … first + count − 1, about all positions of their origin: [K, P, D].
torch::Tensor Traversal::startMessage(const Origin &origin, std::int64_t first, std::int64_t count) const
{
    const torch::Tensor &x = origin.x.x;
    auto message = torch::zeros({count, x.size(0), x.size(1)}, x.options());
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t place = first + k;
        const torch::Tensor &bias = origin.rows.bias;
        const Linear row{
            origin.rows.weight.narrow(0, place, 1), bias.defined() ? bias.narrow(0, place, 1) : torch::Tensor(), {}};
        const auto here = x.narrow(0, place, 1);
        const auto start = torch::full({1, 1, 1}, m_rule.start(row(here).item<double>()), x.options());
        message[k][place] = m_rule.linear(here, row, start)[0][0];
    }
    return message;
}

RelevanceTrace Traversal::traceBack(const Forward &forward, const Origin &origin, std::int64_t first,
                                    std::int64_t count) const
{
    const auto numbers = torch::TensorOptions(torch::kFloat64);
    RelevanceTrace trace;
    trace.total = torch::zeros({count}, numbers);
    const auto target = origin.targets.begin() + first;
    trace.targets.assign(target, target + count);
    std::map<int, std::function<void(const torch::Tensor &)>> listeners;
    for (const TapedContexts &attention : forward.contexts) {
        torch::Tensor &heads = trace.heads[{attention.kind, attention.layer}];
        heads = torch::zeros({count, attention.contexts.x.size(0)}, numbers);
        listeners[attention.contexts.id] = [&, x = attention.contexts.x](const torch::Tensor &message) {
            heads = m_rule.relevance(x, message).sum(torch::IntArrayRef{2, 3}, false, torch::kFloat64).cpu();
        };
    }
    for (const Side side : kBothSides) {
        const Taped &embedding = forward.embeddings[indexOf(side)];
        if (embedding.isConstant())
            continue;
        torch::Tensor &perToken = side == Side::Encoder ? trace.source : trace.prefix;
        perToken = torch::zeros({count, embedding.x.size(0)}, numbers);
        listeners[embedding.id] = [&, x = embedding.x](const torch::Tensor &message) {
            const auto relevance = m_rule.relevance(x, message);
            perToken = relevance.abs().sum(-1, false, torch::kFloat64).cpu();
            trace.total += relevance.sum(torch::IntArrayRef{1, 2}, false, torch::kFloat64).cpu();
        };
    }
    forward.tape.goBack(origin.x, startMessage(origin, first, count), [&](int id, const torch::Tensor &message) {
        if (const auto listener = listeners.find(id); listener != listeners.end())
            listener->second(message);
    });
    return trace;
}

RelevanceTrace Traversal::run(const TokenBatch *source, const TokenBatch *prefix, std::int64_t from) const
{
    const torch::NoGradGuard noGrad;
    Forward forward{Tape(m_rule, m_control)};
    Taped last;
    if (source)
        last = throughStack(Side::Encoder, *source, nullptr, forward);
    if (prefix)
        last = throughStack(Side::Decoder, *prefix, source ? &last : nullptr, forward);
    const Origin origin = m_model.spec().classifier ? labelOrigin(last, forward) : tokenOrigin(last);

    const std::int64_t steps = std::ssize(origin.targets);
    const std::int64_t atOnce = std::max<std::int64_t>(1, m_messageNumbers / forward.tape.largest());
    RelevanceTrace all;
    for (std::int64_t first = from; first < steps; first += atOnce)
        append(all, traceBack(forward, origin, first, std::min(atOnce, steps - first)));
    return all;
}

} // namespace headscope
