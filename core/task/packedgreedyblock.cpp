#include "core/task/packedgreedyblock.h"


#include <torch/torch.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

namespace headscope {

/// A sentence that is decoded token by token: what it said so far, and where keys and values of all of it but the last
/// token are.
struct PackedGreedyBlock::Continuation
{
    std::size_t pair = 0;
    const VariantGates *gates = nullptr;
    std::int64_t place = 0; ///< of the example in the block
    std::vector<std::int64_t> history;
    std::vector<KeyRows> self;  ///< by place of the stack: what it begins with
    std::vector<KeyRows> cross; ///< by place, of the source
    std::int64_t slot = 0;      ///< in the caches, once it goes on
    std::vector<std::int64_t> doubts; ///< positions whose token was chosen without margin
    std::optional<Decision> left;     ///< the first of them

    void doubt(std::int64_t position, const RowModel::Choice &choice)
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
};

/// Pairs that are verified together: what they are thought to say runs through the decoder at once.
struct PackedGreedyBlock::Verification
{
    const RowModel &model;
    std::vector<std::size_t> indices{}; ///< of the pairs in the piece
    std::vector<Pair> pairs{};
    bool isFresh = false; ///< they are not thought to say what the base run said: nothing of its decoder can be used
    std::vector<std::int64_t> places{};
    Sequences sources{}, targets{};
    std::vector<Rows> ownCross{}; ///< keys and values of the memory by place, if it is not that of the base run
    std::vector<Rows> self{};     ///< keys and values by place; without rows where they are those of the base run
};

std::shared_ptr<const PackedGreedyBlock>
PackedGreedyBlock::make(const Task &task, const GenerationRunner &runner, const GenerationSettings &settings,
                        std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                        const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedGreedyBlock> block(new PackedGreedyBlock(task, runner, settings, std::move(ids), base, plan,
                                                                   quickProducts(task, run, true), run));
    block->prepareStandIns(control);
    block->runBase(control);
    return block;
}

void PackedGreedyBlock::runBase(const JobControl &control)
{
    std::vector<GreedyPart> parts;
    for (BasePart &part : baseParts())
        parts.push_back({std::move(part)});
    const auto sampled = static_cast<std::int64_t>(std::min(parts.size(), kSampledParts));
    m_task.execution().parallelFor(sampled, [&](std::int64_t p) {
        tellExactError(errorOfExact(parts[static_cast<std::size_t>(p)], control));
    });
    m_task.execution().parallelFor(std::ssize(parts), [&](std::int64_t p) {
        runBasePart(parts[static_cast<std::size_t>(p)], control);
    });
    std::vector<const BasePart *> kept;
    for (const GreedyPart &part : parts)
        kept.push_back(&part);
    keepStates(kept);
    for (GreedyPart &part : parts) {
        for (std::size_t i = 0; i < part.ids.size(); ++i) {
            m_targets.add(std::ssize(part.generated[i].tokens));
            m_tokens.push_back(part.generated[i].tokens);
            m_baseline.push_back(makeOutput(part.ids[i], std::move(part.generated[i])));
        }
    }
}

/// The base outputs through the decoder → hidden states behind it [T, D].
Rows PackedGreedyBlock::forceBase(const RowModel &model, const GreedyPart &part, const std::vector<Rows> &crossKeys,
                                  StackStates *keep, const JobControl &control) const
{
    std::vector<std::int64_t> inputs;
    for (const Generated &one : part.generated) {
        const auto input = decoderInput(one.tokens, m_settings);
        inputs.insert(inputs.end(), input.begin(), input.begin() + std::ssize(one.tokens));
    }
    RowExecutor executor(model, Side::Decoder, part.targets, control);
    Rows own;
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        const auto at = static_cast<std::size_t>(place);
        if (attention.readsMemory())
            return keysOfSequences(crossKeys[at], part.sources);
        own = model.keysAndValues(Side::Decoder, place, x, executor.positions);
        if (keep)
            keep->keyValues[at] = own;
        return keysOfSequences(own, executor.sequences);
    };
    executor.gates = [&](HeadKind kind, int layer) { return baseGates(part.targets.count(), kind, layer); };
    if (keep)
        executor.keepIn(keep->hidden, keep->context);
    return executor.runToEnd({0, model.embed(Side::Decoder, inputs, executor.positions), {}});
}

/// Encodes with exact products, keeps what comes of it, and decodes; the plain path decodes what is in doubt.
void PackedGreedyBlock::decodeBase(GreedyPart &part, float margin, const JobControl &control) const
{
    part.decoder.keyValues = encodeBase(exact(), part, &part.encoder, control);
    std::vector<Continuation> rows(part.ids.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto s = static_cast<std::int64_t>(i);
        rows[i].gates = &baseVariant();
        rows[i].history = {m_settings.startId};
        rows[i].self.resize(part.decoder.keyValues.size());
        for (const Rows &place : part.decoder.keyValues)
            rows[i].cross.push_back({&place, part.sources.first(s), part.sources.length(s)});
    }
    resume(rows, {exact(), margin}, control);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        part.generated.push_back({rows[i].tokens(), 0});
        if (!rows[i].doubts.empty())
            part.generated.back().tokens = plain({part.ids[i]}, {}, control).front().tokens;
        part.targets.add(std::ssize(part.generated.back().tokens));
    }
}

void PackedGreedyBlock::runBasePart(GreedyPart &part, const JobControl &control)
{
    decodeBase(part, exactMargin(), control);
    const std::vector<Rows> crossKeys = part.decoder.keyValues;
    const Rows hidden = forceBase(exact(), part, crossKeys, &part.decoder, control);
    measureQuickErrors([&](const RowModel &quick) {
        const Rows other = forceBase(quick, part, encodeBase(quick, part, nullptr, control), nullptr, control);
        return exact().largestMarginError(hidden, quick, other);
    });
}

/// The largest difference of a logit between exact products and the plain path, on a few sentences.
float PackedGreedyBlock::errorOfExact(const GreedyPart &whole, const JobControl &control) const
{
    GreedyPart few{firstOf(whole)};
    decodeBase(few, -1, control);
    const Rows packed = forceBase(exact(), few, few.decoder.keyValues, nullptr, control);
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const Memory memory = model.encode(m_task.inputs(few.ids), gates);
    std::vector<std::vector<std::int64_t>> outputs;
    for (const Generated &one : few.generated)
        outputs.push_back(one.tokens);
    const TokenBatch inputs = decoderInputs(outputs, model);
    const auto hidden = model.decode(inputs, &memory, gates);
    std::vector<torch::Tensor> rows;
    for (std::int64_t s = 0; s < few.targets.count(); ++s)
        rows.push_back(hidden[s].narrow(0, 0, few.targets.length(s)));
    return 2 * exact().largestLogitDifference(packed, model.logits(torch::cat(rows)));
}

std::vector<RowModel::Choice> PackedGreedyBlock::choose(const RowModel &model, const Rows &hidden,
                                                        std::span<const std::span<const std::int64_t>> histories) const
{
    return model.choices(hidden, editsAfter(histories));
}

/// What the pairs are thought to say through the variants' decoder → hidden states behind it [T, D].
Rows PackedGreedyBlock::decode(Verification &v, const StartPlace &start, const JobControl &control) const
{
    v.self.resize(m_decoder.keyValues.size());
    RowExecutor executor(v.model, Side::Decoder, v.targets, control);
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        const auto at = static_cast<std::size_t>(place);
        if (!attention.readsMemory()) {
            v.self[at] = v.model.keysAndValues(Side::Decoder, place, x, executor.positions);
            return keysOfSequences(v.self[at], executor.sequences);
        }
        KeySource source{[&v, this, place](std::int64_t s) { return crossOf(v, place, static_cast<std::size_t>(s)); }, 0};
        for (const std::int64_t example : v.places)
            source.longest = std::max(source.longest, m_sources.length(example));
        return source;
    };
    executor.gates = [&](HeadKind kind, int layer) { return gatesOf(v.pairs, kind, layer); };
    if (!v.isFresh) {
        const int first = decoderStart(start);
        const auto at = static_cast<std::size_t>(first);
        const std::vector<std::int64_t> rows = m_targets.rowsOf(v.places, v.targets);
        return executor.runToEnd({first, gatherRows(m_decoder.hidden[at], rows), gatherRows(m_decoder.context[at], rows)});
    }
    std::vector<std::int64_t> inputs;
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        const auto input = decoderInput(tokensOf(v.pairs[i]), m_settings);
        inputs.insert(inputs.end(), input.begin(), input.begin() + v.targets.length(static_cast<std::int64_t>(i)));
    }
    return executor.runToEnd({0, v.model.embed(Side::Decoder, inputs, executor.positions), {}});
}

KeyRows PackedGreedyBlock::crossOf(const Verification &v, int place, std::size_t pair) const
{
    const auto at = static_cast<std::size_t>(place);
    const std::int64_t example = v.places[pair];
    if (v.ownCross.empty())
        return {&m_decoder.keyValues[at], m_sources.first(example), m_sources.length(example)};
    return {&v.ownCross[at], v.sources.first(static_cast<std::int64_t>(pair)), m_sources.length(example)};
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
        const std::size_t before = changed.size();
        verify(start, v, precision, answers, changed, control);
        keepOnly(v, std::span(changed).subspan(before));
    }
    resume(changed, precision, control);
    for (Continuation &row : changed)
        conclude(pairs[row.pair], row.tokens(), std::move(row.doubts), row.left, answers[row.pair]);
    return answers;
}

/// Lets go of keys and values that no sentence goes on with.
void PackedGreedyBlock::keepOnly(Verification &v, std::span<Continuation> changed)
{
    for (std::size_t at = 0; at < v.self.size(); ++at) {
        if (v.self[at].count() == 0)
            continue;
        std::vector<std::int64_t> rows;
        for (Continuation &row : changed) {
            KeyRows &own = row.self[at];
            for (std::int64_t i = 0; i < own.count; ++i)
                rows.push_back(own.first + i);
            own.first = std::ssize(rows) - own.count;
        }
        v.self[at] = gatherRows(v.self[at], rows);
    }
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
    std::vector<std::vector<std::int64_t>> said; // with the start token
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    std::vector<std::vector<std::int64_t>> questions;
    for (const Pair &pair : v.pairs) {
        questions.push_back(questionsOf(pair));
        said.push_back(decoderInput(tokensOf(pair), m_settings));
        for (std::int64_t t : questions.back()) {
            rows.push_back(v.targets.rows() + t);
            asked.emplace_back(said.size() - 1, t + 1);
        }
        v.sources.add(m_sources.length(pair.place));
        v.targets.add(questions.back().empty() ? 0 : questions.back().back() + 1);
    }
    if (start.side == Side::Encoder)
        v.ownCross = encodeVariants(v.model, v.pairs, v.sources, start, control);
    const Rows hidden = decode(v, start, control);
    std::vector<std::span<const std::int64_t>> histories;
    for (const auto &[i, length] : asked)
        histories.push_back(std::span(said[i]).first(static_cast<std::size_t>(length)));
    const auto choices = choose(precision.model, gatherRows(hidden, rows), histories);
    const RowModel::Choice *choice = choices.data();
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
        answer.output = makeOutput(m_ids[place], {std::move(tokens), 0});
    }
}

/// Sends the sentence of a pair its own way: what it was thought to say up to `position`, and `token` there.
void PackedGreedyBlock::leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
                                   Continuation &row) const
{
    const auto &tokens = tokensOf(v.pairs[pair]);
    row.pair = v.indices[pair];
    row.gates = v.pairs[pair].gates;
    row.place = v.places[pair];
    row.history = {m_settings.startId};
    row.history.insert(row.history.end(), tokens.begin(), tokens.begin() + position);
    row.history.push_back(token);
    row.self.resize(v.self.size());
    for (int place = 0; place < spec().decoder->places(); ++place) {
        const auto at = static_cast<std::size_t>(place);
        row.cross.push_back(crossOf(v, place, pair));
        if (v.self[at].count() > 0)
            row.self[at] = {&v.self[at], v.targets.first(static_cast<std::int64_t>(pair)), position + 1};
        else
            row.self[at] = {&m_decoder.keyValues[at], m_targets.first(v.places[pair]), position + 1};
    }
}

/// Decodes until every row is finished.
void PackedGreedyBlock::resume(std::vector<Continuation> &rows, const Precision &precision,
                                    const JobControl &control) const
{
    constexpr std::int64_t kMoreRoom = 16;
    std::vector<Continuation *> going;
    for (Continuation &row : rows) {
        if (!isComplete(row.history, m_settings))
            going.push_back(&row);
    }
    if (going.empty())
        return;
    const auto longest = [&] {
        std::int64_t most = 0;
        for (const Continuation *row : going)
            most = std::max(most, std::ssize(row->history));
        return most;
    };
    const StackSpec &stack = *spec().decoder;
    std::vector<KeyCache> caches(stack.subLayers.size());
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (!attention || attention->readsMemory())
            continue;
        const auto at = static_cast<std::size_t>(place);
        caches[at] = KeyCache(std::ssize(going), longest() + kMoreRoom, 2 * attention->keyWidth(), m_task.tensorOptions());
        for (std::size_t r = 0; r < going.size(); ++r) {
            going[r]->slot = static_cast<std::int64_t>(r);
            const KeyRows &known = going[r]->self[at];
            if (known.count > 0)
                caches[at].begin(going[r]->slot, *known.rows, known.first, std::ssize(going[r]->history) - 1);
        }
    }
    while (!going.empty()) {
        control.checkpoint();
        const auto full = std::ranges::find_if(caches, [](const KeyCache &cache) { return cache.room() > 0; });
        if (full != caches.end() && longest() > full->room()) { // only those that still go on
            std::vector<std::int64_t> slots;
            for (const Continuation *row : going)
                slots.push_back(row->slot);
            for (KeyCache &cache : caches) {
                if (cache.room() > 0)
                    cache.grow(slots, longest() + 2 * kMoreRoom);
            }
            for (std::size_t r = 0; r < going.size(); ++r)
                going[r]->slot = static_cast<std::int64_t>(r);
        }
        const auto choices = step(going, caches, precision.model, control);
        for (std::size_t r = 0; r < going.size(); ++r) {
            if (precision.isDoubtful(choices[r].margin))
                going[r]->doubt(std::ssize(going[r]->history) - 1, choices[r]);
            going[r]->history.push_back(choices[r].token);
        }
        std::erase_if(going, [&](const Continuation *row) { return isComplete(row->history, m_settings); });
    }
}

std::vector<RowModel::Choice> PackedGreedyBlock::step(std::span<Continuation *const> rows, std::vector<KeyCache> &caches,
                                                      const RowModel &model, const JobControl &control) const
{
    std::vector<std::int64_t> tokens, slots;
    std::vector<std::span<const std::int64_t>> histories;
    RowExecutor executor(model, Side::Decoder, Sequences::ofOneRow(std::ssize(rows)), control);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        tokens.push_back(rows[r]->history.back());
        slots.push_back(rows[r]->slot);
        histories.emplace_back(rows[r]->history);
        executor.positions[r] = std::ssize(rows[r]->history) - 1;
    }
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        const auto at = static_cast<std::size_t>(place);
        KeySource source;
        if (attention.readsMemory()) {
            source.of = [&rows, at](std::int64_t s) { return rows[static_cast<std::size_t>(s)]->cross[at]; };
            for (const Continuation *row : rows)
                source.longest = std::max(source.longest, row->cross[at].count);
            return source;
        }
        caches[at].append(model.keysAndValues(Side::Decoder, place, x, executor.positions), slots, executor.positions);
        source.of = [&, at](std::int64_t s) {
            const auto r = static_cast<std::size_t>(s);
            return caches[at].of(slots[r], executor.positions[r] + 1);
        };
        source.longest = *std::ranges::max_element(executor.positions) + 1;
        return source;
    };
    executor.gates = [&](HeadKind kind, int layer) {
        RowGates gates;
        for (const Continuation *row : rows)
            gates.push_back(row->gates->at(kind, layer, row->place));
        return gates;
    };
    return choose(model, executor.runToEnd({0, model.embed(Side::Decoder, tokens, executor.positions), {}}), histories);
}

} // namespace headscope
