#include "core/task/packedgreedyblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

namespace headscope {

/// A sentence that is decoded token by token: what it said so far, and keys and values of all of it but the last token.
struct PackedGreedyBlock::Continuation
{
    std::size_t pair = 0;
    const VariantFactors *factors = nullptr;
    std::vector<std::int64_t> history;
    std::vector<std::vector<float>> self; ///< per layer, rows of [2A]
    std::vector<const float *> cross;     ///< per layer
    std::int64_t sourceLength = 0;
    std::vector<std::int64_t> doubts; ///< positions whose token was chosen without margin
    std::optional<Decision> left;     ///< the first of them

    void doubt(std::int64_t position, const PackedModel::Choice &choice)
    {
        if (doubts.empty())
            left = {choice.token, choice.margin};
        doubts.push_back(position);
    }
    std::vector<std::int64_t> tokens() const { return {history.begin() + 1, history.end()}; }
};

/// What a quicker tier made of a sentence, and where it is in doubt: the next verifies this instead of decoding.
struct PackedGreedyBlock::Draft final : Hint
{
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> doubts; ///< positions, ascending
};

struct PackedGreedyBlock::GreedyPart : BasePart
{
    std::vector<Generated> generated{};
    Sequences targets{};

    /// What the decoder reads when it is made to say what was generated.
    TokenBatch decoderInputs(const GenerationSettings &settings) const
    {
        std::vector<std::vector<std::int64_t>> inputs;
        for (const Generated &one : generated)
            inputs.push_back(decoderInput(one.tokens, settings));
        return TokenBatch::pad(inputs, settings.padId, torch::kCPU);
    }
};

/// Pairs that are verified together: what they are thought to say runs through the decoder at once.
struct PackedGreedyBlock::Verification
{
    const PackedModel &model;
    std::vector<std::size_t> indices{}; ///< of the pairs in the piece
    std::vector<Pair> pairs{};
    bool isFresh = false; ///< they are not thought to say what the base run said: nothing of its decoder can be used
    std::vector<std::int64_t> places{};
    Sequences sources{}, targets{};
    std::vector<Rows> ownCross{}; ///< keys and values of the memory per layer, if it is not that of the base run
    std::vector<Rows> self{};     ///< keys and values per layer; without rows where they are those of the base run
};

PackedGreedyBlock::PackedGreedyBlock(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                     const RunOptions &run)
    : PackedTranslation(task, std::move(ids), base, quickProducts(run, true), run), m_banned(badTokens())
{
    m_banned.insert(m_banned.end(), m_settings.bannedLogits.begin(), m_settings.bannedLogits.end());
}

std::shared_ptr<const PackedGreedyBlock> PackedGreedyBlock::make(const TranslationTask &task,
                                                                 std::vector<std::int64_t> ids, const HeadMask &base,
                                                                 const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedGreedyBlock> block(new PackedGreedyBlock(task, std::move(ids), base, run));
    block->runBase(control);
    return block;
}

void PackedGreedyBlock::runBase(const JobControl &control)
{
    std::vector<GreedyPart> parts;
    for (BasePart &part : baseParts())
        parts.push_back({std::move(part)});
    parallelFor(std::ssize(parts), [&](std::int64_t p) { runBasePart(parts[static_cast<std::size_t>(p)], control); });
    std::vector<const BasePart *> kept;
    for (const GreedyPart &part : parts)
        kept.push_back(&part);
    keepStates(kept);
    for (GreedyPart &part : parts) {
        for (std::size_t i = 0; i < part.ids.size(); ++i) {
            m_targets.add(std::ssize(part.generated[i].tokens));
            m_tokens.push_back(part.generated[i].tokens);
            m_baseline.push_back(m_task.makeOutput(part.ids[i], std::move(part.generated[i])));
        }
    }
}

/// The base outputs through the decoder → hidden states behind it [T, D].
Rows PackedGreedyBlock::forceBase(const PackedModel &model, const GreedyPart &part, const std::vector<Rows> &cross,
                                  States *keep, const JobControl &control) const
{
    Rows hidden = withoutPadding(m_task.model().beginDecoder(part.decoderInputs(m_settings)).hidden, part.targets);
    for (int layer = 0; layer < model.spec().decoder->layers(); ++layer) {
        control.checkpoint();
        const PackedModel::Attention &selfAttention = model.selfAttention(layer);
        const Rows input = model.attentionInput(selfAttention, hidden);
        const Rows self = model.keysAndValues(selfAttention, input);
        const Rows selfContext
            = contexts(selfAttention, model.queries(selfAttention, input), part.targets, ownKeys(self, part.targets),
                       true, baseFactors(part.targets.count(), HeadKind::Decoder, layer));
        const Rows middle = model.closeAttention(selfAttention, hidden, selfContext);
        const Rows crossContext
            = model.crossContext(layer, middle, part.targets,
                                 ownKeys(cross[static_cast<std::size_t>(layer)], part.sources),
                                 baseFactors(part.targets.count(), HeadKind::Cross, layer));
        if (keep) {
            keep->decoderHidden.push_back(hidden);
            keep->selfKeyValues.push_back(self);
            keep->selfContext.push_back(selfContext);
            keep->middle.push_back(middle);
            keep->crossContext.push_back(crossContext);
        }
        hidden = model.closeDecoderLayer(layer, middle, crossContext);
    }
    return model.finish(HeadKind::Decoder, std::move(hidden));
}

/// Encodes with exact products, keeps what comes of it, and decodes; the plain path decodes what is in doubt.
void PackedGreedyBlock::decodeBase(GreedyPart &part, float margin, const JobControl &control) const
{
    States &states = part.states;
    states.crossKeyValues = crossKeyValues(exact(), encodeBase(exact(), part, &states, control));
    std::vector<Continuation> rows(part.ids.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto s = static_cast<std::int64_t>(i);
        rows[i].factors = &baseVariant();
        rows[i].history = {m_settings.startId};
        rows[i].self.resize(states.crossKeyValues.size());
        rows[i].sourceLength = part.sources.length(s);
        for (const Rows &layer : states.crossKeyValues)
            rows[i].cross.push_back(layer.row(part.sources.first(s)));
    }
    resume(rows, {exact(), margin}, control);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        part.generated.push_back({rows[i].tokens(), 0});
        if (!rows[i].doubts.empty())
            part.generated.back().tokens = plain({part.ids[i]}, base(), control).front().tokens;
        part.targets.add(std::ssize(part.generated.back().tokens));
    }
}

void PackedGreedyBlock::runBasePart(GreedyPart &part, const JobControl &control)
{
    tellExactError(errorOfExact(part, control));
    decodeBase(part, exactMargin(), control);
    const Rows hidden = forceBase(exact(), part, part.states.crossKeyValues, &part.states, control);
    measureQuickErrors([&](const PackedModel &quick) {
        const Rows memory = encodeBase(quick, part, nullptr, control);
        const Rows other = forceBase(quick, part, crossKeyValues(quick, memory), nullptr, control);
        return exact().largestMarginError(hidden, quick, other);
    });
}

/// The largest difference of a logit between exact products and the plain path, on a few sentences.
float PackedGreedyBlock::errorOfExact(const GreedyPart &whole, const JobControl &control) const
{
    GreedyPart few{firstOf(whole)};
    decodeBase(few, -1, control);
    const Rows packed = forceBase(exact(), few, few.states.crossKeyValues, nullptr, control);
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const Memory memory = model.encode(m_task.sourceBatch(few.ids), gates);
    DecoderState state = model.beginDecoder(few.decoderInputs(m_settings));
    model.advanceDecoder(state, model.spec().decoder->layers(), model.crossKeyValues(memory), memory.keyBias, gates);
    const auto logits = model.logits(withoutPadding(model.finishDecoder(state), few.targets).tensor());
    return 2 * exact().largestLogitDifference(packed, logits);
}

std::vector<PackedModel::Choice> PackedGreedyBlock::choose(const PackedModel &model, const Rows &hidden,
                                                                std::span<const std::int64_t> historyLengths) const
{
    auto choices = model.choices(hidden, [&](auto... block) { ban(m_banned, historyLengths, block...); });
    for (std::size_t r = 0; r < choices.size(); ++r) {
        if (const auto token = forcedToken(historyLengths[r]))
            choices[r] = {*token, std::numeric_limits<float>::infinity()};
    }
    return choices;
}

/// Decoder inputs of what the pairs are thought to say [T, D].
Rows PackedGreedyBlock::embedded(const Verification &v) const
{
    std::vector<std::vector<std::int64_t>> inputs;
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        const auto &tokens = tokensOf(v.pairs[i]);
        const auto length = v.targets.length(static_cast<std::int64_t>(i));
        inputs.push_back(decoderInput({tokens.begin(), tokens.begin() + length}, m_settings));
    }
    return withoutPadding(m_task.model().beginDecoder(TokenBatch::pad(inputs, m_settings.padId, torch::kCPU)).hidden,
                          v.targets);
}

/// What the pairs are thought to say through the variants' decoder → hidden states behind it [T, D].
Rows PackedGreedyBlock::decode(Verification &v, const StartPlace &start, const JobControl &control) const
{
    // Self-attention of the first layer sees nothing of the encoder.
    const int firstLayer = v.isFresh || start.stack == 0 ? 0 : start.layer;
    const auto from = static_cast<std::size_t>(firstLayer);
    const bool startsBehindSelf = start.part == StartPlace::Part::Cross;
    v.self.resize(m_states.selfKeyValues.size());
    Rows hidden = v.isFresh ? embedded(v) : Rows();
    for (int layer = firstLayer; layer < v.model.spec().decoder->layers(); ++layer) {
        control.checkpoint();
        const auto l = static_cast<std::size_t>(layer);
        const bool isFirst = layer == firstLayer && !v.isFresh;
        const PackedModel::Attention &selfAttention = v.model.selfAttention(layer);
        Rows middle;
        if (isFirst && startsBehindSelf) {
            middle = gather(m_states.middle[from], m_targets, v.places, v.targets);
        } else if (isFirst) {
            Rows context = gather(m_states.selfContext[from], m_targets, v.places, v.targets);
            scaleContexts(context, selfAttention, v.targets, factorsOf(v.pairs, HeadKind::Decoder, layer));
            middle = v.model.closeAttention(selfAttention, gather(m_states.decoderHidden[from], m_targets, v.places, v.targets),
                                            context);
        } else {
            const Rows input = v.model.attentionInput(selfAttention, hidden);
            v.self[l] = v.model.keysAndValues(selfAttention, input);
            middle = v.model.closeAttention(selfAttention, hidden,
                                            contexts(selfAttention, v.model.queries(selfAttention, input), v.targets,
                                                     ownKeys(v.self[l], v.targets), true,
                                                     factorsOf(v.pairs, HeadKind::Decoder, layer)));
        }
        Rows context;
        if (isFirst && startsBehindSelf) {
            context = gather(m_states.crossContext[from], m_targets, v.places, v.targets);
            scaleContexts(context, v.model.crossAttention(layer), v.targets, factorsOf(v.pairs, HeadKind::Cross, layer));
        } else {
            std::vector<KeyRows> keys;
            for (std::size_t i = 0; i < v.places.size(); ++i)
                keys.push_back({crossOf(v, l, i), m_sources.length(v.places[i])});
            context = v.model.crossContext(layer, middle, v.targets, keys, factorsOf(v.pairs, HeadKind::Cross, layer));
        }
        hidden = v.model.closeDecoderLayer(layer, middle, context);
    }
    return v.model.finish(HeadKind::Decoder, std::move(hidden));
}

const float *PackedGreedyBlock::crossOf(const Verification &v, std::size_t layer, std::size_t pair) const
{
    return v.ownCross.empty() ? m_states.crossKeyValues[layer].row(m_sources.first(v.places[pair]))
                              : v.ownCross[layer].row(v.sources.first(static_cast<std::int64_t>(pair)));
}

std::vector<PackedBlock::Answer> PackedGreedyBlock::run(const StartPlace &start, std::span<const Pair> pairs,
                                                         const Precision &precision,
                                                         const JobControl &control) const
{
    std::vector<Answer> answers(pairs.size());
    std::vector<Continuation> changed;
    std::deque<Verification> verifications; // own the keys and values that sentences go on with
    for (const bool fresh : {false, true}) {
        std::int64_t rows = PackedBlock::rowsTogether();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const bool isBase = tokensOf(pairs[i]) == m_tokens[static_cast<std::size_t>(pairs[i].place)];
            if (isBase == fresh)
                continue;
            if (rows >= PackedBlock::rowsTogether()) {
                verifications.emplace_back(Verification{precision.model}).isFresh = fresh;
                rows = 0;
            }
            rows += rowsOf(pairs[i].place);
            verifications.back().indices.push_back(i);
            verifications.back().pairs.push_back(pairs[i]);
        }
    }
    for (Verification &v : verifications) {
        verify(start, v, precision, answers, changed, control);
        v.self.clear();
    }
    resume(changed, precision, control);
    for (Continuation &row : changed)
        conclude(pairs[row.pair], row.tokens(), std::move(row.doubts), row.left, answers[row.pair]);
    return answers;
}

/// What a pair is thought to say.
const std::vector<std::int64_t> &PackedGreedyBlock::tokensOf(const Pair &pair) const
{
    return pair.hint ? static_cast<const Draft *>(pair.hint)->tokens : m_tokens[static_cast<std::size_t>(pair.place)];
}

/// Positions where that is not certain.
std::vector<std::int64_t> PackedGreedyBlock::questionsOf(const Pair &pair) const
{
    if (pair.hint)
        return static_cast<const Draft *>(pair.hint)->doubts;
    std::vector<std::int64_t> all(tokensOf(pair).size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Answers of the pairs that say what they are thought to say; the others go their own way.
void PackedGreedyBlock::verify(const StartPlace &start, Verification &v, const Precision &precision,
                                    std::vector<Answer> &answers, std::vector<Continuation> &changed,
                                    const JobControl &control) const
{
    v.places = placesOf(v.pairs);
    std::vector<std::int64_t> rows; // whose scores are asked for
    std::vector<std::int64_t> historyLengths;
    std::vector<std::vector<std::int64_t>> questions;
    for (const Pair &pair : v.pairs) {
        questions.push_back(questionsOf(pair));
        for (std::int64_t t : questions.back()) {
            rows.push_back(v.targets.rows() + t);
            historyLengths.push_back(t + 1);
        }
        v.sources.add(m_sources.length(pair.place));
        v.targets.add(questions.back().empty() ? 0 : questions.back().back() + 1);
    }
    if (start.stack == 0)
        v.ownCross = encodeVariants(v.model, v.pairs, v.sources, start.layer, control);
    const Rows hidden = decode(v, start, control);
    const auto choices = choose(precision.model, gatherRows(hidden, rows), historyLengths);
    const PackedModel::Choice *choice = choices.data();
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        const auto &tokens = tokensOf(v.pairs[i]);
        Answer &answer = answers[v.indices[i]];
        Continuation row; // of its doubts, and of all else should it go its own way
        bool goesOn = false;
        for (std::size_t q = 0; q < questions[i].size() && !goesOn; ++q) {
            const std::int64_t t = questions[i][q];
            if (q == 0)
                answer.asked = {choice[q].token, choice[q].margin};
            if (precision.isDoubtful(choice[q].margin))
                row.doubt(t, choice[q]);
            if (choice[q].token != tokens[static_cast<std::size_t>(t)]) {
                leave(v, i, t, choice[q].token, row);
                goesOn = true;
            }
        }
        choice += questions[i].size();
        if (goesOn)
            changed.push_back(std::move(row));
        else
            conclude(v.pairs[i], tokens, std::move(row.doubts), row.left, answer);
    }
}

void PackedGreedyBlock::conclude(const Pair &pair, std::vector<std::int64_t> tokens,
                                      std::vector<std::int64_t> doubts, const std::optional<Decision> &left, Answer &answer) const
{
    const auto place = static_cast<std::size_t>(pair.place);
    if (!doubts.empty()) {
        auto draft = std::make_shared<Draft>();
        draft->tokens = std::move(tokens);
        draft->doubts = std::move(doubts);
        answer.doubtful = true;
        answer.left = left;
        answer.hint = std::move(draft);
    } else if (tokens == m_tokens[place]) {
        answer.output = m_baseline[place];
    } else {
        answer.output = m_task.makeOutput(m_ids[place], {std::move(tokens), 0});
    }
}

/// Sends the sentence of a pair its own way: what it was thought to say up to `position`, and `token` there.
void PackedGreedyBlock::leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
                                   Continuation &row) const
{
    const auto &tokens = tokensOf(v.pairs[pair]);
    row.pair = v.indices[pair];
    row.factors = v.pairs[pair].factors;
    row.history = {m_settings.startId};
    row.history.insert(row.history.end(), tokens.begin(), tokens.begin() + position);
    row.history.push_back(token);
    row.sourceLength = m_sources.length(v.places[pair]);
    for (std::size_t l = 0; l < v.self.size(); ++l) {
        const bool own = v.self[l].count() > 0;
        const Rows &self = own ? v.self[l] : m_states.selfKeyValues[l];
        const float *first
            = self.row(own ? v.targets.first(static_cast<std::int64_t>(pair)) : m_targets.first(v.places[pair]));
        row.self.emplace_back(first, first + (position + 1) * self.width());
        row.cross.push_back(crossOf(v, l, pair));
    }
}

/// Decodes until every row is finished.
void PackedGreedyBlock::resume(std::vector<Continuation> &rows, const Precision &precision,
                                    const JobControl &control) const
{
    std::vector<Continuation *> going;
    for (Continuation &row : rows)
        going.push_back(&row);
    while (true) {
        std::erase_if(going, [&](const Continuation *row) { return isComplete(row->history, m_settings); });
        if (going.empty())
            return;
        control.checkpoint();
        const auto choices = step(going, precision.model);
        for (std::size_t r = 0; r < going.size(); ++r) {
            if (precision.isDoubtful(choices[r].margin))
                going[r]->doubt(std::ssize(going[r]->history) - 1, choices[r]);
            going[r]->history.push_back(choices[r].token);
        }
    }
}

std::vector<PackedModel::Choice> PackedGreedyBlock::step(std::span<Continuation *const> rows,
                                                              const PackedModel &model) const
{
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> lengths;
    for (const Continuation *row : rows) {
        tokens.push_back(row->history.back());
        lengths.push_back(std::ssize(row->history));
        positions.push_back(lengths.back() - 1);
    }
    const Sequences single = Sequences::ofOneRow(std::ssize(rows));
    Rows hidden = asRows(m_task.model().embedTargets(torch::tensor(tokens, torch::kInt64),
                                                     torch::tensor(positions, torch::kInt64)));
    const auto factors = [&](HeadKind kind, int layer) {
        HeadFactors found;
        for (const Continuation *row : rows)
            found.push_back(row->factors->at(kind, layer));
        return found;
    };
    for (int layer = 0; layer < model.spec().decoder->layers(); ++layer) {
        const auto l = static_cast<std::size_t>(layer);
        const PackedModel::Attention &selfAttention = model.selfAttention(layer);
        const Rows input = model.attentionInput(selfAttention, hidden);
        const Rows fresh = model.keysAndValues(selfAttention, input);
        std::vector<KeyRows> selfKeys;
        std::vector<KeyRows> crossKeys;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::vector<float> &self = rows[r]->self[l];
            const float *own = fresh.row(static_cast<std::int64_t>(r));
            self.insert(self.end(), own, own + fresh.width());
            selfKeys.push_back({self.data(), lengths[r]});
            crossKeys.push_back({rows[r]->cross[l], rows[r]->sourceLength});
        }
        const Rows middle = model.closeAttention(selfAttention, hidden,
                                                 contexts(selfAttention, model.queries(selfAttention, input), single,
                                                          selfKeys, false, factors(HeadKind::Decoder, layer)));
        hidden = model.closeDecoderLayer(
            layer, middle, model.crossContext(layer, middle, single, crossKeys, factors(HeadKind::Cross, layer)));
    }
    return choose(model, model.finish(HeadKind::Decoder, std::move(hidden)), lengths);
}

} // namespace headscope
