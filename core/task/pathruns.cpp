#include "core/task/pathruns.h"

#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace headscope {
namespace {

/// Cells of which contexts and logits lie in memory together.
constexpr std::size_t kMostEnds = 256;

StartPlace placeIn(const TransformerSpec &spec, const std::vector<HeadRef> &heads)
{
    const HeadRef &head = heads.front();
    return {sideOf(head.kind), spec.placeOf(head.kind, head.layer)};
}

} // namespace

bool reaches(const TransformerSpec &spec, const PathSender &sender, const PathReceiver &receiver)
{
    const StartPlace from = placeIn(spec, sender.heads);
    if (receiver.isOutput())
        return from.side == spec.lastSide();
    const StartPlace end = placeIn(spec, receiver.heads);
    const bool isCross = receiver.heads.front().kind == HeadKind::Cross;
    if (from.side != end.side) // an encoder's output arrives in a decoder as keys and values of cross-attention only
        return from < end && isCross && receiver.input != PathInput::Query;
    return from < end && (!isCross || receiver.input == PathInput::Query || receiver.input == PathInput::All);
}

/// A sender of a pair, with its paths.
struct PathRuns::Lane
{
    std::int64_t pair = 0;
    const PathSender *sender = nullptr;
    std::vector<std::size_t> cells{}; ///< by number
    std::int64_t first = 0;           ///< position of its first changed row
    std::int64_t count = 0;           ///< of changed rows
};

/// Lanes that start at one place and run together.
struct PathRuns::Piece
{
    StartPlace start;
    std::vector<Lane> lanes{};
};

/// Changed rows of lanes, which know nothing of each other: all heads keep the contexts of the base run, but for the
/// senders'. At attentions with receivers it makes what these read of it, and runs on from there.
class PathRuns::Executor : public RowExecutor
{
public:
    Executor(const PathRuns &paths, const Piece &piece, std::span<const PathCell> cells,
             std::vector<AnswerScores> &scores)
        : RowExecutor(paths.m_runs.model(), piece.start.side, {}, paths.m_runs.m_control), m_paths(paths),
          m_runs(paths.m_runs), m_piece(piece), m_cells(cells), m_scores(scores)
    {
        positions.clear();
        for (const Lane &lane : piece.lanes) {
            sequences.add(lane.count);
            m_pairs.push_back(lane.pair);
            m_senders.push_back({lane.pair, &lane.sender->heads, lane.sender->position});
            for (std::int64_t i = 0; i < lane.count; ++i) {
                positions.push_back(lane.first + i);
                m_rows.push_back(m_runs.rowsOf(side).first(lane.pair) + lane.first + i);
            }
            for (const std::size_t cell : lane.cells) {
                const PathReceiver &receiver = *cells[cell].receiver;
                if (!receiver.isOutput())
                    m_last = std::max(m_last, paths.placeOf(receiver.heads));
                m_endsInOutput = m_endsInOutput || receiver.isOutput();
            }
        }
        for (const PatchCell &sender : m_senders)
            m_ofSenders.push_back(&sender);
        gates = m_runs.maskedGates(m_pairs.size());
    }

    void arrive(int place, const Rows &hidden) const
    {
        RowExecutor::arrive(place, hidden);
        m_runs.m_rowsRun += hidden.count();
    }
    Rows attend(int place, const AttentionSpec &attention, const Rows &x, const Rows &)
    {
        const StartPlace at{side, place};
        if (!inputsAt(at).empty()) {
            const bool isCross = attention.readsMemory();
            receive(at, model.queries(side, place, x, positions),
                    isCross ? Rows() : model.keysAndValues(side, place, x, positions));
        }
        return baseContext(place);
    }
    Rows gate(int place, const AttentionSpec &attention, Rows context) const
    {
        m_runs.patchContexts(*this, place, attention, m_ofSenders, context, nullptr);
        return RowExecutor::gate(place, attention, std::move(context));
    }
    Rows feedForward(int place, const FeedForwardSpec &feedForward, const Rows &x) const
    {
        if (m_paths.m_feedForward == PathFeedForward::Frozen)
            return gatherRows(m_paths.m_outputs.at({side, place}), m_rows);
        return RowExecutor::feedForward(place, feedForward, x);
    }

    void run()
    {
        const int places = m_runs.spec().stack(side)->places();
        const auto &base = m_runs.m_baseStates.of(side);
        const int from = m_piece.start.place;
        const bool leaves = m_last.side != side || m_endsInOutput;
        WalkState<Rows> state{from, gatherRows(base.hidden[static_cast<std::size_t>(from)], m_rows), baseContext(from)};
        walk(model.spec(), side, state, leaves ? places : m_last.place, *this);
        if (leaves) {
            const Rows finished = model.finish(side, std::move(state.hidden));
            if (m_endsInOutput)
                say(finished);
            for (int place = 0; m_last.side != side && place <= m_last.place; ++place) {
                if (!inputsAt({Side::Decoder, place}).empty())
                    receive({Side::Decoder, place}, {}, model.keysAndValues(Side::Decoder, place, finished, positions));
            }
        } else { // the last receiver reads before its attention
            m_runs.m_rowsRun += state.hidden.count();
            const auto &attention = *m_runs.spec().stack(side)->at(m_last.place).attention();
            (void)attend(m_last.place, attention, m_runs.readBy(m_last, state.hidden), state.hidden);
        }
    }

private:
    Rows baseContext(int place) const
    {
        return gatherRows(m_runs.m_baseStates.of(side).context[static_cast<std::size_t>(place)], m_rows);
    }

    std::set<PathInput> inputsAt(const StartPlace &at) const
    {
        std::set<PathInput> inputs;
        for (const Lane &lane : m_piece.lanes) {
            for (const std::size_t cell : lane.cells) {
                const PathReceiver &receiver = *m_cells[cell].receiver;
                if (!receiver.isOutput() && m_paths.placeOf(receiver.heads) == at)
                    inputs.insert(receiver.input);
            }
        }
        return inputs;
    }

    /// Ends in the output: answers of the position that says them.
    void say(const Rows &finished)
    {
        std::vector<std::int64_t> rows, pairs;
        std::vector<std::size_t> ends;
        for (std::size_t i = 0; i < m_piece.lanes.size(); ++i) {
            const Lane &lane = m_piece.lanes[i];
            const std::int64_t asked = m_runs.askedPosition(lane.pair) - lane.first;
            if (asked < 0 || asked >= lane.count)
                continue; // it has the score of the base run
            for (const std::size_t cell : lane.cells) {
                if (!m_cells[cell].receiver->isOutput())
                    continue;
                rows.push_back(sequences.first(static_cast<std::int64_t>(i)) + asked);
                pairs.push_back(lane.pair);
                ends.push_back(cell);
            }
        }
        if (ends.empty())
            return;
        const auto found = m_runs.scoresOf(gatherRows(finished, rows).tensor(), pairs);
        for (std::size_t i = 0; i < ends.size(); ++i)
            m_scores[ends[i]] = found[i];
    }

    /// `queries`, `keyValues`: changed ones of the lanes' rows; nothing where the change does not come to.
    void receive(const StartPlace &at, const Rows &queries, const Rows &keyValues)
    {
        const AttentionSpec &attention = *m_runs.spec().stack(at.side)->at(at.place).attention();
        const PatchedRuns::AttentionInputs base = m_runs.inputsOf(m_runs.m_baseStates, at, m_pairs);
        const auto rowsIn = [&](const Sequences &all) {
            const Sequences whole = all.only(m_pairs);
            std::vector<std::int64_t> rows;
            for (std::size_t i = 0; i < m_piece.lanes.size(); ++i) {
                for (std::int64_t t = 0; t < m_piece.lanes[i].count; ++t)
                    rows.push_back(whole.first(static_cast<std::int64_t>(i)) + m_piece.lanes[i].first + t);
            }
            return indexTensor(rows, base.queries.options().device());
        };
        const auto withColumns = [&](const Rows &of, std::int64_t first, std::int64_t count) {
            const Rows changed = Rows::of(of.tensor().clone());
            auto columns = changed.tensor().narrow(1, first, count);
            columns.index_copy_(0, rowsIn(m_runs.keyRows(at)), keyValues.tensor().narrow(1, first, count));
            return changed;
        };
        const bool changesQueries = queries.width() > 0;
        const bool changesKeys = keyValues.width() > 0;
        for (const PathInput input : inputsAt(at)) {
            PatchedRuns::AttentionInputs inputs = base;
            if (changesQueries && (input == PathInput::Query || input == PathInput::All)) {
                inputs.queries = Rows::of(base.queries.tensor().clone());
                inputs.queries.tensor().index_copy_(0, rowsIn(m_runs.rowsOf(at.side)), queries.tensor());
            }
            if (changesKeys && input == PathInput::Key)
                inputs.keyValues = withColumns(base.keyValues, 0, attention.keyWidth());
            if (changesKeys && input == PathInput::Value)
                inputs.keyValues = withColumns(base.keyValues, attention.keyWidth(), attention.valueWidth());
            if (changesKeys && input == PathInput::All)
                inputs.keyValues = withColumns(base.keyValues, 0, attention.keyValueWidth());
            const Rows context = m_runs.contextsOf(at, m_pairs, inputs);
            m_runs.m_rowsRun += context.count();
            runOn(at, input, context);
        }
    }

    /// Runs from the receivers' new contexts on.
    void runOn(const StartPlace &at, PathInput input, const Rows &context)
    {
        const Sequences whole = m_runs.rowsOf(at.side).only(m_pairs);
        std::vector<PatchCell> cells;
        std::vector<std::size_t> ends;
        PatchedRuns::Given given{context, {}};
        const auto flush = [&] {
            if (cells.empty())
                return;
            std::vector<const PatchCell *> own;
            for (const PatchCell &cell : cells)
                own.push_back(&cell);
            const auto found = m_runs.runPiece(at, own, &given);
            for (std::size_t i = 0; i < ends.size(); ++i)
                m_scores[ends[i]] = found[i];
            cells.clear();
            ends.clear();
            given.firsts.clear();
        };
        const std::int64_t most = m_runs.m_task.execution().workSizes().rowsOfPass / 2;
        std::int64_t rows = 0;
        for (std::size_t i = 0; i < m_piece.lanes.size(); ++i) {
            const Lane &lane = m_piece.lanes[i];
            for (const std::size_t number : lane.cells) {
                const PathReceiver &receiver = *m_cells[number].receiver;
                if (receiver.isOutput() || receiver.input != input || m_paths.placeOf(receiver.heads) != at)
                    continue;
                PatchCell cell{lane.pair, &receiver.heads};
                if (at.side == side && side == Side::Decoder)
                    cell.position = lane.first;
                const std::int64_t ofCell = m_runs.rowsOfCell(cell, at);
                if (rows + ofCell > most || cells.size() == kMostEnds) {
                    flush();
                    rows = 0;
                }
                rows += ofCell;
                cells.push_back(cell);
                ends.push_back(number);
                given.firsts.push_back(whole.first(static_cast<std::int64_t>(i)));
            }
        }
        flush();
    }

    const PathRuns &m_paths;
    const PatchedRuns &m_runs;
    const Piece &m_piece;
    std::span<const PathCell> m_cells;
    std::vector<AnswerScores> &m_scores;
    std::vector<std::int64_t> m_pairs; ///< of lanes
    std::vector<std::int64_t> m_rows;  ///< of the base run
    std::vector<PatchCell> m_senders;
    std::vector<const PatchCell *> m_ofSenders;
    StartPlace m_last{Side::Encoder, -1}; ///< the last attention with a receiver
    bool m_endsInOutput = false;
};

PathRuns::PathRuns(const PatchedRuns &runs, PathFeedForward feedForward) : m_runs(runs), m_feedForward(feedForward)
{
    if (feedForward == PathFeedForward::Frozen && !runs.plain())
        recordFeedForward();
}

StartPlace PathRuns::placeOf(const std::vector<HeadRef> &heads) const
{
    return placeIn(m_runs.spec(), heads);
}

void PathRuns::recordFeedForward()
{
    class Recording : public RowExecutor
    {
    public:
        Recording(const PatchedRuns &runs, Side ofSide, std::map<StartPlace, Rows> &outputs)
            : RowExecutor(runs.model(), ofSide, runs.rowsOf(ofSide), runs.m_control), m_runs(runs), m_outputs(outputs)
        {
            gates = runs.maskedGates(static_cast<std::size_t>(runs.size()));
        }
        void arrive(int place, const Rows &hidden) const
        {
            RowExecutor::arrive(place, hidden);
            m_runs.m_rowsRun += hidden.count();
        }
        Rows attend(int place, const AttentionSpec &, const Rows &, const Rows &) const
        {
            return Rows::of(m_runs.m_baseStates.of(side).context[static_cast<std::size_t>(place)].tensor().clone());
        }
        Rows feedForward(int place, const FeedForwardSpec &feedForward, const Rows &x) const
        {
            Rows output = RowExecutor::feedForward(place, feedForward, x);
            m_outputs[{side, place}] = Rows::of(output.tensor().clone());
            return output;
        }

    private:
        const PatchedRuns &m_runs;
        std::map<StartPlace, Rows> &m_outputs;
    };
    const torch::NoGradGuard noGrad;
    for (const Side side : kBothSides) {
        if (!m_runs.spec().stack(side))
            continue;
        Recording recording(m_runs, side, m_outputs);
        const auto &base = m_runs.m_baseStates.of(side).hidden;
        int first = 0;
        while (first < m_runs.spec().stack(side)->places() && base[static_cast<std::size_t>(first)].width() == 0)
            ++first;
        if (first == m_runs.spec().stack(side)->places())
            continue;
        WalkState<Rows> state{first, Rows::of(base[static_cast<std::size_t>(first)].tensor().clone())};
        walk(m_runs.spec(), side, state, m_runs.spec().stack(side)->places(), recording);
    }
}

std::vector<PathRuns::Piece> PathRuns::piecesOf(std::span<const PathCell> cells) const
{
    std::map<std::pair<std::int64_t, const PathSender *>, std::size_t> known;
    std::map<StartPlace, std::vector<Lane>> lanes;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const PathCell &cell = cells[i];
        const StartPlace start = placeOf(cell.sender->heads);
        auto &own = lanes[start];
        const auto [at, isNew] = known.try_emplace({cell.pair, cell.sender}, own.size());
        if (isNew) {
            const std::int64_t length = m_runs.rowsOf(start.side).length(cell.pair);
            const bool one = cell.sender->position != PatchCell::kEverywhere;
            std::int64_t first = one ? cell.sender->position : 0;
            if (!one && start.side == Side::Decoder)
                first = m_runs.firstChange({cell.pair, &cell.sender->heads});
            own.push_back({cell.pair, cell.sender, {}, first, one ? 1 : length - first});
        }
        own[at->second].cells.push_back(i);
    }
    const std::int64_t most = m_runs.m_task.execution().workSizes().rowsOfPass / 4;
    std::vector<Piece> pieces;
    for (auto &[start, own] : lanes) {
        std::int64_t rows = most;
        for (Lane &lane : own) {
            const std::int64_t ofLane = m_runs.rowsOf(start.side).length(lane.pair);
            if (rows + ofLane > most) {
                pieces.push_back({start});
                rows = 0;
            }
            rows += ofLane;
            pieces.back().lanes.push_back(std::move(lane));
        }
    }
    return pieces;
}

std::vector<AnswerScores> PathRuns::scores(std::span<const PathCell> cells,
                                           const std::function<void(std::int64_t)> &done) const
{
    if (m_runs.plain())
        return scoresPlainly(cells, done);
    const torch::NoGradGuard noGrad;
    std::vector<AnswerScores> scores;
    for (const PathCell &cell : cells) {
        scores.push_back(m_runs.m_base[static_cast<std::size_t>(cell.pair)]);
        m_runs.m_wholeRows += 2 * m_runs.rowsOfWholeRun(cell.pair);
    }
    const std::vector<Piece> pieces = piecesOf(cells);
    m_runs.m_task.execution().runPieces(std::ssize(pieces), [&](std::int64_t p) {
        const Piece &piece = pieces[static_cast<std::size_t>(p)];
        Executor(*this, piece, cells, scores).run();
        std::int64_t more = 0;
        for (const Lane &lane : piece.lanes)
            more += std::ssize(lane.cells);
        if (done)
            done(more);
    });
    return scores;
}

} // namespace headscope
