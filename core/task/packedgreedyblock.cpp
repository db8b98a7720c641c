#include "core/task/packedgreedyblock.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <deque>
#include <numeric>

namespace headscope {

namespace {

/// A search goes on with others when one in so many of its rows is free.
constexpr std::int64_t kTurnOver = 4;

} // namespace

/// A sentence of a piece that goes its own way.
struct PackedGreedyBlock::Continuation
{
    std::size_t pair = 0; ///< in the piece
    GreedySentence sentence{};
};

/// The output of a quicker tier for a sentence and its doubtful positions: the next tier verifies it instead of
/// decoding.
struct PackedGreedyBlock::Draft final : Hint
{
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> doubts; ///< positions, ascending
};

struct PackedGreedyBlock::GreedyPart : BasePart
{
    Sequences targets{}; ///< what is read of the outputs, and of what stands before them
    Sequences outputs{};
    Shortlists shortlists{};
};

/// Sentences of a part that are encoded together.
struct PackedGreedyBlock::Group
{
    GreedyPart part{};
    std::vector<Rows> crossKeys{};
    Sequences prompts{}; ///< what is given to each but for its last token
    std::vector<Rows> promptKeys{};
    std::vector<GreedySentence> sentences{};
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

std::shared_ptr<const PackedGreedyBlock> PackedGreedyBlock::make(const Task &task, const GenerationRunner &runner,
                                                                 const GenerationSettings &settings,
                                                                 std::vector<std::int64_t> ids, const HeadMask &base,
                                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                                 const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedGreedyBlock> block(new PackedGreedyBlock(
        task, runner, settings, std::move(ids), base, plan, quickProducts(task.rowModels(), run, true, false), run));
    block->prepareReplacements(control);
    std::int64_t positions = 0; // outputs are about as long as sources
    for (const std::int64_t id : block->m_ids)
        positions += task.examples().length(id);
    block->exact().expectChoices(positions, task.execution());
    block->runBase(control);
    return block;
}

std::unique_ptr<PackedGeneration::BasePart> PackedGreedyBlock::makePart() const
{
    return std::make_unique<GreedyPart>();
}

std::vector<GreedySentence> PackedGreedyBlock::sentencesOf(const Group &group) const
{
    const Sequences &sources = group.part.sources;
    std::vector<GreedySentence> sentences(group.part.ids.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto s = static_cast<std::int64_t>(i);
        sentences[i].gates = &baseVariant();
        sentences[i].history = givenTo(group.part.ids[i]);
        sentences[i].given = sentences[i].history.size();
        sentences[i].self.resize(group.crossKeys.size());
        for (std::size_t at = 0; at < group.promptKeys.size(); ++at) {
            if (group.promptKeys[at].count() > 0)
                sentences[i].self[at] = {&group.promptKeys[at], group.prompts.first(s), group.prompts.length(s)};
        }
        for (const Rows &place : group.crossKeys)
            sentences[i].cross.push_back({&place, sources.first(s), sources.length(s)});
    }
    return sentences;
}

std::vector<Rows> PackedGreedyBlock::promptKeys(const Group &group, const JobControl &control) const
{
    std::vector<std::int64_t> tokens;
    for (const std::int64_t id : group.part.ids) {
        const std::vector<std::int64_t> given = givenTo(id);
        tokens.insert(tokens.end(), given.begin(), given.end() - 1);
    }
    if (tokens.empty())
        return {};
    std::vector<Rows> self(spec().decoder->subLayers.size());
    RowExecutor executor(exact(), Side::Decoder, group.prompts, control);
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        const auto at = static_cast<std::size_t>(place);
        if (attention.readsMemory())
            return keysOfSequences(group.crossKeys[at], group.part.sources);
        self[at] = exact().keysAndValues(Side::Decoder, place, x, executor.positions);
        return keysOfSequences(self[at], executor.sequences);
    };
    executor.gates = [&](HeadKind kind, int layer) { return baseGates(group.prompts.count(), kind, layer); };
    (void)executor.runToEnd({0, exact().embed(Side::Decoder, tokens, executor.positions), {}});
    return self;
}

/// Sentences that are decoded together. The keys and values of their sources are there all the while.
std::int64_t PackedGreedyBlock::rowsOfSearch(const BasePart &part) const
{
    const std::int64_t all = std::ssize(part.ids);
    if (!m_plan.onlyBase)
        return all;
    constexpr std::int64_t kPasses = 2;
    std::int64_t longest = 1;
    for (const std::int64_t id : part.ids)
        longest = std::max(longest, m_task.examples().length(id));
    return std::min(all, std::clamp(kPasses * rowsOfPass() / longest, std::int64_t(1), rowsOfStep()));
}

void PackedGreedyBlock::search(BasePart &part, const JobControl &control) const
{
    std::deque<Group> groups;
    const std::span<const std::int64_t> ids = part.ids;
    std::size_t read = 0;
    const auto next = [&](std::int64_t count) {
        for (Group &group : groups) { // what is finished needs no memory, but for what is kept
            if (m_plan.onlyBase && std::ranges::all_of(group.sentences, [&](const auto &one) {
                    return isComplete(one.tokensSoFar(), m_settings);
                })) {
                group.crossKeys.clear();
                group.promptKeys.clear();
            }
        }
        std::vector<GreedySentence *> fresh;
        const std::size_t end = std::min(ids.size(), read + static_cast<std::size_t>(count));
        if (read == end)
            return fresh;
        Group &group = groups.emplace_back();
        setExamples(group.part, ids.subspan(read, end - read));
        read = end;
        group.crossKeys = encodeBase(exact(), group.part, m_plan.onlyBase ? nullptr : &part.encoder, control);
        for (const std::int64_t id : group.part.ids)
            group.prompts.add(std::ssize(givenTo(id)) - 1);
        group.promptKeys = promptKeys(group, control);
        group.sentences = sentencesOf(group);
        for (GreedySentence &sentence : group.sentences)
            fresh.push_back(&sentence);
        return fresh;
    };
    constexpr float kNoDoubt = -1; // as long as errors are not known
    const std::int64_t rows = rowsOfSearch(part);
    GreedyDecoding(exact(), kNoDoubt, m_settings, m_processor, m_plan.scores, control)
        .run({rows, std::max<std::int64_t>(1, rows / kTurnOver), next});
    for (const Group &group : groups) {
        for (const GreedySentence &sentence : group.sentences) {
            part.generated.push_back({sentence.tokens(), sentence.score});
            part.margins.push_back(sentence.closest);
        }
    }
    if (!m_plan.onlyBase)
        part.decoder.keyValues = std::move(groups.front().crossKeys);
}

std::int64_t PackedGreedyBlock::firstChoice(const Sequences &targets, const Sequences &outputs, std::int64_t sequence)
{
    return targets.length(sequence) - outputs.length(sequence);
}

/// The rows of [T, D] that choose the tokens of the outputs.
Rows PackedGreedyBlock::choosingRows(const GreedyPart &part, const Rows &hidden)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t s = 0; s < part.outputs.count(); ++s) {
        for (std::int64_t t = firstChoice(part.targets, part.outputs, s); t < part.targets.length(s); ++t)
            rows.push_back(part.targets.first(s) + t);
    }
    return std::ssize(rows) == hidden.count() ? hidden : gatherRows(hidden, rows);
}

/// The base outputs through the decoder → hidden states after it where their tokens are chosen [tokens, D].
Rows PackedGreedyBlock::forceBase(const RowModel &model, const GreedyPart &part, const std::vector<Rows> &crossKeys,
                                  StackStates *keep, const JobControl &control) const
{
    std::vector<std::int64_t> inputs;
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const auto read = readFor(part.ids[i], part.generated[i].tokens);
        inputs.insert(inputs.end(), read.begin(), read.begin() + part.targets.length(static_cast<std::int64_t>(i)));
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
        record(executor, *keep);
    return choosingRows(part, executor.runToEnd({0, model.embed(Side::Decoder, inputs, executor.positions), {}}));
}

void PackedGreedyBlock::keepPart(BasePart &part, const JobControl &control)
{
    auto &own = static_cast<GreedyPart &>(part);
    updateTargets(own);
    const std::vector<Rows> crossKeys = part.decoder.keyValues;
    const Rows hidden = forceBase(exact(), own, crossKeys, &part.decoder, control);
    if (Shortlists::canUse(exact()))
        own.shortlists = Shortlists(exact(), hidden, {m_settings, m_processor});
    tiers().measureQuickErrors([&](const RowModel &quick) {
        const Rows other = forceBase(quick, own, encodeBase(quick, part, nullptr, control), nullptr, control);
        return exact().marginErrors(hidden, quick, other);
    });
}

void PackedGreedyBlock::takePart(BasePart &part)
{
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const std::vector<std::int64_t> &tokens = part.generated[i].tokens;
        m_targets.add(std::ssize(givenTo(part.ids[i])) - 1 + std::ssize(tokens));
        m_outputs.add(std::ssize(tokens));
        m_tokens.push_back(tokens);
    }
}

void PackedGreedyBlock::keepStates(std::span<const std::unique_ptr<BasePart>> parts)
{
    PackedGeneration::keepStates(parts);
    std::vector<const Shortlists *> lists;
    for (const auto &part : parts)
        lists.push_back(&static_cast<const GreedyPart &>(*part).shortlists);
    if (std::ranges::none_of(lists, &Shortlists::isEmpty))
        m_shortlists = Shortlists(lists);
    m_memory += m_shortlists.bytes();
}

void PackedGreedyBlock::updateTargets(GreedyPart &part) const
{
    part.targets = {};
    part.outputs = {};
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const std::int64_t count = std::ssize(part.generated[i].tokens);
        part.targets.add(std::ssize(givenTo(part.ids[i])) - 1 + count);
        part.outputs.add(count);
    }
}

float PackedGreedyBlock::errorOfExact(const BasePart &part, const JobControl &control) const
{
    const auto [first, count] = sampleOf(part);
    GreedyPart sample;
    setExamples(sample, std::span(part.ids).subspan(first, count));
    const auto generated = std::span(part.generated).subspan(first, count);
    sample.generated.assign(generated.begin(), generated.end());
    updateTargets(sample);
    const Rows packed = forceBase(exact(), sample, encodeBase(exact(), sample, nullptr, control), nullptr, control);
    return 2 * exact().largestLogitDifference(packed, plainLogits(sample.ids, sample.generated));
}

/// The guessed tokens of the pairs through the variants' decoder → hidden states after it [T, D].
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
        KeySource source{[&v, this, place](std::int64_t s) { return crossOf(v, place, static_cast<std::size_t>(s)); },
                         0, nullptr};
        for (const std::int64_t example : v.places)
            source.longest = std::max(source.longest, m_sources.length(example));
        return source;
    };
    executor.gates = [&](HeadKind kind, int layer) { return gatesOf(v.pairs, kind, layer); };
    if (!v.isFresh)
        return executor.runToEnd(stateAt(m_decoder, decoderStart(start), m_targets.rowsOf(v.places, v.targets)));
    std::vector<std::int64_t> inputs;
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        const auto read = readFor(idOf(v.pairs[i]), tokensOf(v.pairs[i]));
        inputs.insert(inputs.end(), read.begin(), read.begin() + v.targets.length(static_cast<std::int64_t>(i)));
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
                                                        const Precision &precision, const JobControl &control) const
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
    std::vector<GreedySentence> sentences;
    for (Continuation &row : changed)
        sentences.push_back(std::move(row.sentence));
    GreedyDecoding(precision.model, precision.margin, m_settings, m_processor, false, control).run(sentences);
    for (std::size_t i = 0; i < changed.size(); ++i)
        conclude(pairs[changed[i].pair], sentences[i].tokens(), sentences[i], answers[changed[i].pair]);
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
            KeyRows &own = row.sentence.self[at];
            for (std::int64_t i = 0; i < own.count; ++i)
                rows.push_back(own.first + i);
            own.first = std::ssize(rows) - own.count;
        }
        v.self[at] = gatherRows(v.self[at], rows);
    }
}

/// The guessed tokens of a pair.
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

/// The tokens that the variants choose at the questions of all pairs, one pair after the other. Near the base run's
/// rows few tokens can win; only where that is not enough is the whole vocabulary scored.
std::vector<Shortlists::Choice> PackedGreedyBlock::likeliestTokens(
    const std::vector<std::vector<std::int64_t>> &questions, const Verification &v, const Rows &hidden,
    const Precision &precision) const
{
    std::vector<std::int64_t> rows, known; // where questions are asked, and the base run's rows there
    std::vector<std::vector<std::int64_t>> read;
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        read.push_back(readFor(idOf(v.pairs[i]), tokensOf(v.pairs[i])));
        const std::int64_t first = firstChoice(m_targets, m_outputs, v.places[i]);
        for (std::int64_t t : questions[i]) {
            rows.push_back(v.targets.first(static_cast<std::int64_t>(i)) + first + t);
            known.push_back(m_outputs.first(v.places[i]) + t);
            asked.emplace_back(i, t);
        }
    }
    std::vector<History> histories;
    for (const auto &[i, said] : asked) {
        const auto given = static_cast<std::size_t>(firstChoice(m_targets, m_outputs, v.places[i]) + 1);
        histories.push_back({std::span(read[i]).first(given + static_cast<std::size_t>(said)), given});
    }
    ScoreEdits edits(m_settings, m_processor, histories);
    std::vector<Shortlists::Choice> answers(rows.size());
    std::vector<std::int64_t> open;
    std::vector<ScoreChange> openChanges;
    const bool isNear = !v.isFresh && !m_shortlists.isEmpty();
    const Rows product = isNear ? precision.model.outputHidden(hidden) : Rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto near
            = isNear && !edits.changes[i].forced
                ? m_shortlists.choice(product.row(rows[i]), known[i], edits.changes[i].banned, precision.margin)
                : std::nullopt;
        if (near) {
            answers[i] = *near;
        } else {
            open.push_back(static_cast<std::int64_t>(i));
            openChanges.push_back(std::move(edits.changes[i]));
        }
    }
    edits.changes = std::move(openChanges);
    std::vector<std::int64_t> openRows;
    for (const std::int64_t i : open)
        openRows.push_back(rows[static_cast<std::size_t>(i)]);
    const auto choices = precision.model.choices(gatherRows(hidden, openRows), edits);
    for (std::size_t i = 0; i < open.size(); ++i)
        answers[static_cast<std::size_t>(open[i])] = {choices[i], true};
    return answers;
}

/// Answers of the pairs that say what they are thought to say; the others go their own way.
void PackedGreedyBlock::verify(const StartPlace &start, Verification &v, const Precision &precision,
                               std::vector<Answer> &answers, std::vector<Continuation> &changed,
                               const JobControl &control) const
{
    v.places = placesOf(v.pairs);
    std::vector<std::vector<std::int64_t>> questions;
    for (const Pair &pair : v.pairs) {
        questions.push_back(questionsOf(pair));
        v.sources.add(m_sources.length(pair.place));
        v.targets.add(
            questions.back().empty() ? 0 : firstChoice(m_targets, m_outputs, pair.place) + questions.back().back() + 1);
    }
    if (start.side == Side::Encoder)
        v.ownCross = encodeVariants(v.model, v.pairs, v.sources, start, control);
    const Rows hidden = decode(v, start, control);
    const std::vector<Shortlists::Choice> answered = likeliestTokens(questions, v, hidden, precision);
    const Shortlists::Choice *answerTo = answered.data();
    for (std::size_t i = 0; i < v.pairs.size(); ++i) {
        const auto &tokens = tokensOf(v.pairs[i]);
        Answer &answer = answers[v.indices[i]];
        GreedySentence row; // with its doubts, and of all else should it go its own way
        bool goesOn = false;
        for (std::size_t q = 0; q < questions[i].size() && !goesOn; ++q) {
            const std::int64_t t = questions[i][q];
            const auto &[choice, isMarginExact] = answerTo[q];
            if (q == 0 && isMarginExact)
                answer.asked = {choice.token, choice.margin};
            if (precision.isDoubtful(choice.margin))
                row.doubt(t, choice);
            if (choice.token != tokens[static_cast<std::size_t>(t)]) {
                leave(v, i, t, choice.token, row);
                goesOn = true;
            }
        }
        answerTo += questions[i].size();
        if (goesOn)
            changed.push_back({v.indices[i], std::move(row)});
        else
            conclude(v.pairs[i], tokens, row, answer);
    }
}

void PackedGreedyBlock::conclude(const Pair &pair, std::vector<std::int64_t> tokens, const GreedySentence &sentence,
                                 Answer &answer) const
{
    const auto place = static_cast<std::size_t>(pair.place);
    if (!sentence.doubts.empty()) {
        auto draft = std::make_shared<Draft>();
        draft->tokens = std::move(tokens);
        draft->doubts = sentence.doubts;
        answer.doubtful = true;
        answer.left = Decision{sentence.left->token, sentence.left->margin};
        answer.hint = std::move(draft);
    } else if (tokens == m_tokens[place]) {
        answer.output = m_baseline[place];
    } else {
        answer.output = makeOutput(m_ids[place], {std::move(tokens), 0});
    }
}

/// Sends the sentence of a pair its own way: what it was thought to say up to `position`, and `token` there.
void PackedGreedyBlock::leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
                              GreedySentence &row) const
{
    const auto &tokens = tokensOf(v.pairs[pair]);
    row.gates = v.pairs[pair].gates;
    row.place = v.places[pair];
    row.history = givenTo(idOf(v.pairs[pair]));
    row.given = row.history.size();
    row.history.insert(row.history.end(), tokens.begin(), tokens.begin() + position);
    const auto known = static_cast<std::int64_t>(row.history.size());
    row.history.push_back(token);
    row.self.resize(v.self.size());
    for (int place = 0; place < spec().decoder->places(); ++place) {
        const auto at = static_cast<std::size_t>(place);
        row.cross.push_back(crossOf(v, place, pair));
        if (v.self[at].count() > 0)
            row.self[at] = {&v.self[at], v.targets.first(static_cast<std::int64_t>(pair)), known};
        else
            row.self[at] = {&m_decoder.keyValues[at], m_targets.first(v.places[pair]), known};
    }
}

} // namespace headscope
