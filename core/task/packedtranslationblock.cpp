#include "core/task/packedtranslationblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

namespace headscope {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

Rows asRows(const torch::Tensor &tensor) // [R, D]
{
    Rows rows(tensor.size(0), tensor.size(1));
    rows.tensor().copy_(tensor);
    return rows;
}

} // namespace

/// A sentence that is decoded token by token: what it said so far, and keys and values of all of it but the last token.
struct PackedTranslationBlock::Continuation
{
    std::size_t pair = 0;
    const VariantFactors *factors = nullptr;
    std::vector<std::int64_t> history;
    std::vector<std::vector<float>> self; ///< per layer, rows of [2A]
    std::vector<const float *> cross;     ///< per layer
    std::int64_t sourceLength = 0;
    std::vector<std::int64_t> doubts; ///< positions whose token was chosen without margin
    std::optional<float> left;        ///< best score at the first of them

    void doubt(std::int64_t position, float best)
    {
        if (doubts.empty())
            left = best;
        doubts.push_back(position);
    }
    std::vector<std::int64_t> tokens() const { return {history.begin() + 1, history.end()}; }
};

/// What a quicker tier made of a sentence, and where it is in doubt: the next verifies this instead of decoding.
struct PackedTranslationBlock::Draft final : Hint
{
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> doubts; ///< positions, ascending
};

/// Sentences whose base runs go together.
struct PackedTranslationBlock::BasePart
{
    std::vector<std::int64_t> ids;
    Sequences sources, targets;
    std::vector<Generated> generated;
    States states;

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
struct PackedTranslationBlock::Verification
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

bool PackedTranslationBlock::canRun(const TranslationTask &task, Replacement replacement, const RunOptions &run)
{
    const GenerationSettings settings = task.settings(run.decoding);
    return canRunPacked(task.packed(), replacement, run) && settings.beams == 1
           && ScoreProcessor(settings).dependsOnLengthOnly();
}

PackedTranslationBlock::PackedTranslationBlock(const TranslationTask &task, std::vector<std::int64_t> ids,
                                               const HeadMask &base, const RunOptions &run)
    : PackedBlock(task, task.packed(), std::move(ids), base, quickProducts(run, true), run), m_task(task),
      m_settings(task.settings(run.decoding)), m_banned(m_settings.bannedLogits)
{
    for (const auto &word : m_settings.badWords)
        m_banned.push_back(word.front()); // single tokens, see canRun
}

std::shared_ptr<const PackedTranslationBlock>
PackedTranslationBlock::make(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                             const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedTranslationBlock> block(
        new PackedTranslationBlock(task, std::move(ids), base, run));
    block->runBase(control);
    return block;
}

void PackedTranslationBlock::runBase(const JobControl &control)
{
    std::vector<BasePart> parts;
    for (const auto ids : inParts(m_ids)) {
        parts.emplace_back();
        parts.back().ids.assign(ids.begin(), ids.end());
    }
    parallelFor(std::ssize(parts), [&](std::int64_t p) { runBasePart(parts[static_cast<std::size_t>(p)], control); });
    for (const auto member : States::kAll) {
        std::vector<std::vector<Rows>> layers;
        for (const BasePart &part : parts)
            layers.push_back(part.states.*member);
        m_states.*member = keep(layers);
    }
    for (BasePart &part : parts) {
        for (std::size_t i = 0; i < part.ids.size(); ++i) {
            m_sources.add(std::ssize(m_task.source(part.ids[i])));
            m_targets.add(std::ssize(part.generated[i].tokens));
            m_tokens.push_back(part.generated[i].tokens);
            m_baseline.push_back(m_task.makeOutput(part.ids[i], std::move(part.generated[i])));
        }
    }
}

Rows PackedTranslationBlock::encodeBase(const PackedModel &model, const BasePart &part, States *keep,
                                        const JobControl &control) const
{
    Rows hidden = withoutPadding(m_task.model().beginEncoder(m_task.sourceBatch(part.ids)).hidden, part.sources);
    for (int layer = 0; layer < model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        const Rows context = model.encoderContext(layer, hidden, part.sources,
                                                  baseFactors(part.sources.count(), HeadKind::Encoder, layer));
        if (keep) {
            keep->encoderHidden.push_back(hidden);
            keep->encoderContext.push_back(context);
        }
        hidden = model.closeEncoderLayer(layer, hidden, context);
    }
    return model.finish(HeadKind::Encoder, std::move(hidden));
}

std::vector<Rows> PackedTranslationBlock::crossKeyValues(const PackedModel &model, const Rows &memory) const
{
    std::vector<Rows> layers;
    for (int layer = 0; layer < model.spec().decoder->layers(); ++layer)
        layers.push_back(model.keysAndValues(model.crossAttention(layer), memory));
    return layers;
}

/// The base outputs through the decoder → hidden states behind it [T, D].
Rows PackedTranslationBlock::forceBase(const PackedModel &model, const BasePart &part, const std::vector<Rows> &cross,
                                       States *keep, const JobControl &control) const
{
    Rows hidden = withoutPadding(m_task.model().beginDecoder(part.decoderInputs(m_settings)).hidden, part.targets);
    for (int layer = 0; layer < model.spec().decoder->layers(); ++layer) {
        control.checkpoint();
        const PackedModel::Attention &selfAttention = model.selfAttention(layer);
        const Rows input = model.attentionInput(selfAttention, hidden);
        const Rows self = model.keysAndValues(selfAttention, input);
        const Rows selfContext
            = contexts(selfAttention, model.queries(selfAttention, input), part.targets, ownKeys(self, part.targets), true,
                       baseFactors(part.targets.count(), HeadKind::Decoder, layer));
        const Rows middle = model.closeAttention(selfAttention, hidden, selfContext);
        const Rows crossContext
            = model.crossContext(layer, middle, part.targets, ownKeys(cross[static_cast<std::size_t>(layer)], part.sources),
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
void PackedTranslationBlock::decodeBase(BasePart &part, float margin, const JobControl &control) const
{
    for (std::int64_t id : part.ids)
        part.sources.add(std::ssize(m_task.source(id)));
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

void PackedTranslationBlock::runBasePart(BasePart &part, const JobControl &control)
{
    tellExactError(errorOfExact(part, control));
    decodeBase(part, exactMargin(), control);
    const Rows hidden = forceBase(exact(), part, part.states.crossKeyValues, &part.states, control);
    measureQuickErrors([&](const PackedModel &quick) {
        const Rows memory = encodeBase(quick, part, nullptr, control);
        const Rows other = forceBase(quick, part, crossKeyValues(quick, memory), nullptr, control);
        return PackedModel::largestLogitDifference(exact(), hidden, quick, other);
    });
}

/// The largest difference of a logit between exact products and the plain path, on a few sentences.
float PackedTranslationBlock::errorOfExact(const BasePart &whole, const JobControl &control) const
{
    BasePart few;
    few.ids.assign(whole.ids.begin(), whole.ids.begin() + std::min<std::ptrdiff_t>(std::ssize(whole.ids), kSample));
    decodeBase(few, -1, control);
    const Rows packed = forceBase(exact(), few, few.states.crossKeyValues, nullptr, control);
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const Memory memory = model.encode(m_task.sourceBatch(few.ids), gates);
    DecoderState state = model.beginDecoder(few.decoderInputs(m_settings));
    model.advanceDecoder(state, model.spec().decoder->layers(), model.crossKeyValues(memory), memory.keyBias, gates);
    const auto logits = model.logits(withoutPadding(model.finishDecoder(state), few.targets).tensor());
    return exact().largestLogitDifference(packed, logits);
}

std::vector<PackedModel::Choice> PackedTranslationBlock::choose(const PackedModel &model, const Rows &hidden,
                                                                std::span<const std::int64_t> historyLengths) const
{
    auto choices = model.choices(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows,
                                             std::int64_t firstColumn, std::int64_t columns) {
        const auto ban = [&](float *row, std::int64_t token) {
            if (token >= firstColumn && token < firstColumn + columns)
                row[token - firstColumn] = kNever;
        };
        for (std::int64_t r = 0; r < rows; ++r) {
            float *row = scores + r * columns;
            for (std::int64_t token : m_banned)
                ban(row, token);
            if (historyLengths[static_cast<std::size_t>(firstRow + r)] < m_settings.minLength) {
                for (std::int64_t token : m_settings.endIds)
                    ban(row, token);
            }
        }
    });
    for (std::size_t r = 0; r < choices.size(); ++r) {
        const auto force = [&](const std::optional<std::int64_t> &token, std::int64_t length) {
            if (token && historyLengths[r] == length)
                choices[r] = {*token, 0, std::numeric_limits<float>::infinity()};
        };
        force(m_settings.forcedFirst, 1);
        force(m_settings.forcedLast, m_settings.maxLength - 1);
    }
    return choices;
}

bool PackedTranslationBlock::isFinished(const std::vector<std::int64_t> &history) const
{
    return (history.size() > 1 && std::ranges::find(m_settings.endIds, history.back()) != m_settings.endIds.end())
           || std::ssize(history) >= m_settings.maxLength;
}

/// The variants' encoder from the contexts of `fromLayer` on, and what the decoder sees of it.
void PackedTranslationBlock::encode(Verification &v, int fromLayer, const JobControl &control) const
{
    const auto first = static_cast<std::size_t>(fromLayer);
    Rows hidden = gather(m_states.encoderHidden[first], m_sources, v.places);
    Rows context = gather(m_states.encoderContext[first], m_sources, v.places);
    scaleContexts(context, v.model.encoderAttention(fromLayer), v.sources,
                  factorsOf(v.pairs, HeadKind::Encoder, fromLayer));
    hidden = v.model.closeEncoderLayer(fromLayer, hidden, context);
    for (int layer = fromLayer + 1; layer < v.model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        hidden = v.model.closeEncoderLayer(
            layer, hidden,
            v.model.encoderContext(layer, hidden, v.sources, factorsOf(v.pairs, HeadKind::Encoder, layer)));
    }
    v.ownCross = crossKeyValues(v.model, v.model.finish(HeadKind::Encoder, std::move(hidden)));
}

/// Decoder inputs of what the pairs are thought to say [T, D].
Rows PackedTranslationBlock::embedded(const Verification &v) const
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
Rows PackedTranslationBlock::decode(Verification &v, const StartPlace &start, const JobControl &control) const
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

const float *PackedTranslationBlock::crossOf(const Verification &v, std::size_t layer, std::size_t pair) const
{
    return v.ownCross.empty() ? m_states.crossKeyValues[layer].row(m_sources.first(v.places[pair]))
                              : v.ownCross[layer].row(v.sources.first(static_cast<std::int64_t>(pair)));
}

std::vector<PackedBlock::Answer> PackedTranslationBlock::run(const StartPlace &start, std::span<const Pair> pairs,
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
const std::vector<std::int64_t> &PackedTranslationBlock::tokensOf(const Pair &pair) const
{
    return pair.hint ? static_cast<const Draft *>(pair.hint)->tokens : m_tokens[static_cast<std::size_t>(pair.place)];
}

/// Positions where that is not certain.
std::vector<std::int64_t> PackedTranslationBlock::questionsOf(const Pair &pair) const
{
    if (pair.hint)
        return static_cast<const Draft *>(pair.hint)->doubts;
    std::vector<std::int64_t> all(tokensOf(pair).size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Answers of the pairs that say what they are thought to say; the others go their own way.
void PackedTranslationBlock::verify(const StartPlace &start, Verification &v, const Precision &precision,
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
        encode(v, start.layer, control);
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
                answer.asked = choice[q].best;
            if (precision.isDoubtful(choice[q].margin))
                row.doubt(t, choice[q].best);
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

void PackedTranslationBlock::conclude(const Pair &pair, std::vector<std::int64_t> tokens,
                                      std::vector<std::int64_t> doubts, std::optional<float> left, Answer &answer) const
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
void PackedTranslationBlock::leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
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
void PackedTranslationBlock::resume(std::vector<Continuation> &rows, const Precision &precision,
                                    const JobControl &control) const
{
    std::vector<Continuation *> going;
    for (Continuation &row : rows)
        going.push_back(&row);
    while (true) {
        std::erase_if(going, [&](const Continuation *row) { return isFinished(row->history); });
        if (going.empty())
            return;
        control.checkpoint();
        const auto choices = step(going, precision.model);
        for (std::size_t r = 0; r < going.size(); ++r) {
            if (precision.isDoubtful(choices[r].margin))
                going[r]->doubt(std::ssize(going[r]->history) - 1, choices[r].best);
            going[r]->history.push_back(choices[r].token);
        }
    }
}

std::vector<PackedModel::Choice> PackedTranslationBlock::step(std::span<Continuation *const> rows,
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
