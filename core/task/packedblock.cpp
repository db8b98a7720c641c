#include "core/task/packedblock.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

namespace headscope {
namespace {

constexpr std::int64_t kFewestRows = 512;
constexpr std::int64_t kRowsAnywhere = 2048;  ///< that go through a stack at once whatever memory there is
constexpr std::int64_t kRowsOfPart = 1 << 16; ///< of a base run on any device

/// Examples of a base run that are worth a part of their own: each step reads all weights once for all of them.
constexpr std::int64_t kFewestTogether = 64;

} // namespace

/// One call of outputsOfAll: the tiers it goes through, and what it sees of each.
struct PackedBlock::TierStatistics
{
    struct OfTier
    {
        explicit OfTier(const Tier &ofWhich) : tier(ofWhich) { }

        const Tier &tier;
        std::atomic<float> error = 0; ///< the largest of those that the next tier ran again
        std::atomic<std::int64_t> passedOn = 0;
    };
    std::deque<OfTier> tiers;
};

PackedBlock::PackedBlock(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base,
                         const ReplacementPlan &plan, const std::vector<Products> &quick, const RunOptions &run,
                         SeenError *seen)
    : m_task(task), m_plan(plan), m_ids(std::move(ids)), m_base(base), m_run(run), m_plain(task, base, plan, run),
      m_baseGates({}, base, task.layout(), nullptr), m_tiers(task.rowModels(), m_run, quick, seen)
{
}

void PackedBlock::prepareReplacements(const JobControl &control)
{
    if (const Contexts *constants = constantContexts(m_plan, m_task, control)) {
        ReplacementRows &rows = m_replacementRows.emplace_back();
        for (const auto &[where, constant] : byAttention(*constants, m_task.layout()))
            rows.rows[where] = Rows::of(constant.reshape({1, -1}));
        return;
    }
    for (std::int64_t draw = 0; m_plan.kind == Replacement::Resample && draw < m_plan.draws; ++draw) {
        control.checkpoint();
        ReplacementRows &donors = m_replacementRows.emplace_back();
        const ContextBatch batch
            = donorContexts(m_plan, m_task, m_ids, draw,
                            HeadGates::fromMask(m_base, m_task.layout(), m_task.tensorOptions()), m_run.seed);
        for (const auto &[kind, lengths] : batch.lengths) {
            for (const std::int64_t length : lengths)
                donors.donors[kind].add(length);
        }
        for (const auto &[where, contexts] : byAttention(batch.tensors, m_task.layout())) { // [B, H, T, Dh]
            const auto valid = validPositions(batch.lengths.at(where.first), contexts.size(2), contexts.device());
            const auto rows = contexts.transpose(1, 2).flatten(2).index({valid.to(torch::kBool)}).contiguous();
            m_memory += rows.numel() * rows.element_size();
            donors.rows[where] = Rows::of(rows);
        }
    }
}

const ReplacementRows *PackedBlock::replacementRowsFor(const Variant &variant) const
{
    switch (variant.replacement) {
    case Replacement::Zero:
    case Replacement::Window:
        return nullptr;
    case Replacement::Mean:
    case Replacement::Optimal:
        return &m_replacementRows.front();
    case Replacement::Resample:
        return &m_replacementRows.at(static_cast<std::size_t>(variant.draw));
    }
    return nullptr;
}

PackedBlock::~PackedBlock() = default;

float PackedBlock::Decision::errorAgainst(const Decision &other) const
{
    if (!std::isfinite(margin) || !std::isfinite(other.margin)) // nothing was decided
        return 0;
    return choice == other.choice ? std::abs(margin - other.margin) : margin + other.margin;
}

/// Some variants that start at one place, and what is known of them so far.
struct PackedBlock::Group
{
    StartPlace start;
    std::vector<std::size_t> variants; ///< places in the list that was asked for
    // From the first piece to the last:
    std::once_flag begun;
    std::vector<const Variant *> members;
    std::vector<VariantGates> gates;
    std::vector<std::vector<Answer>> answers; ///< per variant and example
    std::atomic<std::int64_t> piecesLeft = 0; ///< of the first tier
};

std::deque<PackedBlock::Group> PackedBlock::grouped(std::span<const Variant> variants, const OutputsOfVariant &done,
                                                    const JobControl &control) const
{
    // Enough for the doubtful pairs to fill a piece, without keeping the thousands of masks of a curve in memory at
    // once.
    constexpr std::size_t kTogether = 32;
    std::map<StartPlace, std::vector<std::size_t>> byStart;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        control.checkpoint();
        std::optional<StartPlace> first;
        for (const HeadRef &head : changedHeads(variants[v], m_base)) {
            if (!first || startOf(head) < *first)
                first = startOf(head);
        }
        if (first)
            byStart[*first].push_back(v);
        else
            done(v, m_baseline);
    }
    std::deque<Group> groups;
    for (const auto &[start, members] : byStart) {
        for (std::size_t first = 0; first < members.size(); first += kTogether) {
            const auto from = members.begin() + static_cast<std::ptrdiff_t>(first);
            Group &group = groups.emplace_back();
            group.start = start;
            group.variants.assign(from,
                                  from + static_cast<std::ptrdiff_t>(std::min(kTogether, members.size() - first)));
        }
    }
    return groups;
}

void PackedBlock::begin(Group &group, std::span<const Variant> variants) const
{
    for (std::size_t v : group.variants) {
        group.members.push_back(&variants[v]);
        group.gates.emplace_back(variants[v], m_base, m_task.layout(), replacementRowsFor(variants[v]));
    }
    group.answers.assign(group.variants.size(), std::vector<Answer>(m_baseline.size()));
}

/// Hands over what a group came to.
void PackedBlock::finish(Group &group, const OutputsOfVariant &done)
{
    for (std::size_t v = 0; v < group.variants.size(); ++v) {
        std::vector<ExampleOutput> outputs;
        for (Answer &answer : group.answers[v])
            outputs.push_back(std::move(answer.output));
        done(group.variants[v], outputs);
    }
    group.answers = {};
    group.members = {};
    group.gates = {};
}

PrecisionCheck PackedBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                         const JobControl &control) const
{
    return runAll(variants, m_tiers.worthwhile(), done, control);
}

PrecisionCheck PackedBlock::runAll(std::span<const Variant> variants, const std::vector<const Tier *> &tiers,
                                   const OutputsOfVariant &done, const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    std::deque<Group> groups = grouped(variants, done, control);
    TierStatistics statistics;
    for (const Tier *tier : tiers)
        statistics.tiers.emplace_back(*tier);
    // Few variants (a click) make small pieces, so that many cores have some.
    std::int64_t examplesRows = 0;
    for (std::int64_t place = 0; place < std::ssize(m_baseline); ++place)
        examplesRows += rowsOf(place);
    const std::int64_t mostRows = std::clamp(examplesRows * std::ssize(variants) / m_task.execution().workSizes().parts,
                                             kFewestRows, rowsTogether());
    // A piece is a stretch of a group's pairs, counted variant by variant.
    struct Piece
    {
        Group *group = nullptr;
        std::int64_t from = 0;
        std::int64_t to = 0;
    };
    const std::int64_t examples = std::ssize(m_baseline);
    std::vector<Piece> pieces;
    for (Group &group : groups) {
        control.checkpoint();
        std::int64_t rows = 0;
        for (std::int64_t k = 0; k < std::ssize(group.variants) * examples; ++k) {
            rows += rowsOf(k % examples);
            if (group.piecesLeft == 0 || rows > mostRows) { // examples may bring no rows at all
                pieces.push_back({&group, k, k});
                ++group.piecesLeft;
                rows = rowsOf(k % examples);
            }
            ++pieces.back().to;
        }
    }
    m_task.execution().runPieces(std::ssize(pieces), [&](std::int64_t p) {
        const Piece &piece = pieces[static_cast<std::size_t>(p)];
        Group &group = *piece.group;
        std::call_once(group.begun, [&] { begin(group, variants); });
        std::vector<Member> members;
        for (std::int64_t k = piece.from; k < piece.to; ++k)
            members.push_back({static_cast<std::size_t>(k / examples), k % examples});
        runPiece(group, members, statistics.tiers.front().tier, control);
        if (--group.piecesLeft > 0)
            return;
        // The thread that finishes a group's last piece decides the doubtful pairs of all pieces together.
        decideDoubtful(group, 1, statistics, control);
        finish(group, done);
    });
    PrecisionCheck check;
    for (const Group &group : groups)
        check.runs += std::ssize(group.variants) * std::ssize(m_baseline);
    for (const TierStatistics::OfTier &seen : statistics.tiers)
        check.tiers.push_back(
            {seen.tier.name(), std::max(seen.tier.error.load(), seen.error.load()), seen.tier.margin(), seen.passedOn});
    return check;
}

std::vector<std::vector<PackedBlock::Member>> PackedBlock::inPieces(const std::vector<Member> &members,
                                                                    std::int64_t mostRows) const
{
    std::vector<std::vector<Member>> pieces;
    std::int64_t rows = mostRows;
    for (const Member &member : members) {
        rows += rowsOf(member.place);
        if (pieces.empty() || rows > mostRows) {
            pieces.emplace_back();
            rows = rowsOf(member.place);
        }
        pieces.back().push_back(member);
    }
    return pieces;
}

void PackedBlock::runPiece(Group &group, const std::vector<Member> &members, const Tier &tier,
                           const JobControl &control) const
{
    control.checkpoint();
    std::vector<Answer> answers = run(group.start, pairsOf(group, members), precisionOf(tier), control);
    for (std::size_t i = 0; i < members.size(); ++i)
        group.answers[members[i].variant][static_cast<std::size_t>(members[i].place)] = std::move(answers[i]);
}

std::vector<PackedBlock::Pair> PackedBlock::pairsOf(const Group &group, const std::vector<Member> &members)
{
    std::vector<Pair> pairs;
    for (const Member &member : members)
        pairs.push_back({group.members[member.variant], &group.gates[member.variant], member.place,
                         group.answers[member.variant][static_cast<std::size_t>(member.place)].hint.get()});
    return pairs;
}

/// Has tier `tier` and the following ones decide the doubtful pairs; after the last tier, the plain path.
void PackedBlock::decideDoubtful(Group &group, std::size_t tier, TierStatistics &statistics,
                                 const JobControl &control) const
{
    std::vector<Member> doubtful;
    std::vector<Member> others;
    for (std::size_t v = 0; v < group.answers.size(); ++v) {
        for (std::size_t place = 0; place < group.answers[v].size(); ++place)
            (group.answers[v][place].doubtful ? doubtful : others).push_back({v, static_cast<std::int64_t>(place)});
    }
    TierStatistics::OfTier &before = statistics.tiers[tier - 1];
    before.passedOn += std::ssize(doubtful);
    if (tier == statistics.tiers.size()) {
        std::vector<Answer> answers = answerPlainly(pairsOf(group, doubtful), control);
        for (std::size_t i = 0; i < doubtful.size(); ++i)
            group.answers[doubtful[i].variant][static_cast<std::size_t>(doubtful[i].place)] = std::move(answers[i]);
        return;
    }
    const auto passOn = [&](const std::vector<Member> &members) {
        float error = 0;
        for (const std::vector<Member> &piece : inPieces(members, rowsTogether())) {
            const auto answerOf = [&](const Member &member) -> const Answer & {
                return group.answers[member.variant][static_cast<std::size_t>(member.place)];
            };
            std::vector<std::optional<Decision>> left;
            for (const Member &member : piece)
                left.push_back(answerOf(member).left);
            runPiece(group, piece, statistics.tiers[tier].tier, control);
            for (std::size_t i = 0; i < piece.size(); ++i) {
                const Answer &answer = answerOf(piece[i]);
                if (answer.asked && left[i])
                    error = std::max(error, answer.asked->errorAgainst(*left[i]));
                error = std::max(error, answer.errorBefore.value_or(0));
            }
        }
        raise(before.error, error);
        return error;
    };
    if (passOn(doubtful) > before.tier.margin()) { // more than was allowed for: nothing the tier said holds
        before.passedOn += std::ssize(others);
        others.insert(others.end(), doubtful.begin(), doubtful.end());
        for (auto &answers : group.answers) {
            for (Answer &answer : answers)
                answer.hint = nullptr;
        }
        passOn(others);
    }
    decideDoubtful(group, tier + 1, statistics, control);
}

std::vector<PackedBlock::Answer> PackedBlock::answerPlainly(std::span<const Pair> pairs,
                                                            const JobControl &control) const
{
    std::vector<Answer> answers(pairs.size());
    for (std::size_t first = 0; first < pairs.size();) { // pairs of one variant lie together
        std::vector<std::int64_t> ids;
        for (std::size_t i = first; i < pairs.size() && pairs[i].variant == pairs[first].variant; ++i)
            ids.push_back(m_ids[static_cast<std::size_t>(pairs[i].place)]);
        auto outputs = plain(ids, *pairs[first].variant, control);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            answers[first + i].output = std::move(outputs[i]);
        first += ids.size();
    }
    return answers;
}

std::vector<ExampleOutput> PackedBlock::outputs(const Variant &variant, const JobControl &control) const
{
    std::vector<ExampleOutput> outputs;
    const auto keep = [&](std::size_t, const std::vector<ExampleOutput> &made) { outputs = made; };
    if (showsLogits())
        runAll({&variant, 1}, {&m_tiers.exact()}, keep, control);
    else
        outputsOfAll({&variant, 1}, keep, control);
    return outputs;
}

std::int64_t PackedBlock::rowsOfPass() const
{
    // Live floats per row in one layer: states, queries, keys and values, and the inner layer.
    std::int64_t inner = 0;
    for (const Side side : kBothSides) {
        if (const auto &stack = spec().stack(side)) {
            for (const SubLayer &sub : stack->subLayers)
                inner = std::max(inner, sub.feedForward() ? sub.feedForward()->widest() : 0);
        }
    }
    const std::int64_t bytes = 4 * (8 * spec().width + 3 * inner);
    const std::int64_t most = m_task.execution().workSizes().rowsOfPass;
    return std::clamp(m_task.memory(m_run) / 4 / bytes, std::min(kRowsAnywhere, most), most);
}

std::int64_t PackedBlock::examplesOfPart() const
{
    const std::int64_t parts = m_task.execution().workSizes().parts;
    return std::max(kFewestTogether, (std::ssize(m_ids) + parts - 1) / parts);
}

std::vector<std::span<const std::int64_t>> PackedBlock::inParts(
    const std::vector<std::int64_t> &ids, std::int64_t mostExamples,
    const std::function<std::int64_t(std::int64_t id)> &rowsOf) const
{
    const std::int64_t mostRows = std::max(rowsOfPass(), kRowsOfPart);
    const auto costOf = [&](std::int64_t id) { return std::max(mostRows, mostExamples * rowsOf(id)); };
    std::vector<std::span<const std::int64_t>> parts;
    for (std::size_t first = 0; first < ids.size();) {
        std::size_t end = first + 1;
        for (std::int64_t cost = costOf(ids[first]); end < ids.size(); ++end) {
            cost += costOf(ids[end]);
            if (cost > mostExamples * mostRows)
                break;
        }
        parts.push_back(std::span(ids).subspan(first, end - first));
        first = end;
    }
    return parts;
}

StackStates PackedBlock::keep(std::span<const StackStates *const> parts)
{
    StackStates all(parts.front()->hidden.size());
    for (const auto member : {&StackStates::hidden, &StackStates::context, &StackStates::keyValues}) {
        for (std::size_t place = 0; place < all.hidden.size(); ++place) {
            std::vector<Rows> pieces;
            for (const StackStates *part : parts)
                pieces.push_back((part->*member)[place]);
            if (pieces.front().width() == 0)
                continue; // nothing is kept of this place
            (all.*member)[place] = joined(pieces);
            m_memory += (all.*member)[place].bytes();
        }
    }
    return all;
}

void PackedBlock::record(RowExecutor &executor, StackStates &states) const
{
    executor.recordActivations(states.hidden, states.context);
    if (startsFromContexts())
        return;
    executor.onContext = {};
    executor.recordsAllRows = true;
}

WalkState<Rows> PackedBlock::stateAt(const StackStates &states, int place, std::span<const std::int64_t> rows) const
{
    const auto at = static_cast<std::size_t>(place);
    WalkState<Rows> state{place, gatherRows(states.hidden[at], rows), {}, {}};
    if (startsFromContexts())
        state.context = gatherRows(states.context[at], rows);
    return state;
}

std::vector<std::int64_t> PackedBlock::placesOf(std::span<const Pair> pairs)
{
    std::vector<std::int64_t> places;
    for (const Pair &pair : pairs)
        places.push_back(pair.place);
    return places;
}

RowGates PackedBlock::gatesOf(std::span<const Pair> pairs, HeadKind kind, int layer)
{
    RowGates gates;
    for (const Pair &pair : pairs)
        gates.push_back(pair.gates->at(kind, layer, pair.place));
    return gates;
}

RowGates PackedBlock::baseGates(std::int64_t count, HeadKind kind, int layer) const
{
    return RowGates(static_cast<std::size_t>(count), m_baseGates.at(kind, layer, 0));
}

} // namespace headscope
