#include "core/task/patchedruns.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {

/// A stack over cells whose heads keep the contexts of the base run, but for those that are patched: its rows, which
/// may be any, know nothing of each other.
class PatchedRuns::FrozenExecutor : public RowExecutor
{
public:
    /// `rows`: of the base run, of every sequence.
    FrozenExecutor(const PatchedRuns &runs, Side ofSide, Sequences cellRows, std::vector<std::int64_t> cellPositions,
                   std::vector<std::int64_t> rows, std::span<const PatchCell *const> cells)
        : RowExecutor(runs.model(), ofSide, std::move(cellRows), runs.m_control), m_runs(runs), m_rows(std::move(rows)),
          m_cells(cells)
    {
        positions = std::move(cellPositions);
        if (!runs.m_masked.empty()) {
            gates = [this](HeadKind kind, int layer) {
                return RowGates(m_cells.size(), m_runs.m_gates.at(kind, layer, 0));
            };
        }
    }

    void arrive(int place, const Rows &hidden) const
    {
        RowExecutor::arrive(place, hidden);
        m_runs.m_rowsRun += hidden.count();
    }
    Rows attend(int place, const AttentionSpec &, const Rows &, const Rows &) const { return baseContext(place); }
    Rows gate(int place, const AttentionSpec &attention, Rows context) const
    {
        m_runs.patchContexts(*this, place, attention, m_cells, context, nullptr);
        return RowExecutor::gate(place, attention, std::move(context));
    }

    /// Hidden states before the sub-layer `until`.
    Rows run(int from, int until)
    {
        const StackStates &base = m_runs.m_baseStates.of(side);
        WalkState<Rows> state{from, gatherRows(base.hidden[static_cast<std::size_t>(from)], m_rows), baseContext(from)};
        walk(model.spec(), side, state, until, *this);
        return std::move(state.hidden);
    }

private:
    Rows baseContext(int place) const
    {
        return gatherRows(m_runs.m_baseStates.of(side).context[static_cast<std::size_t>(place)], m_rows);
    }

    const PatchedRuns &m_runs;
    std::vector<std::int64_t> m_rows;
    std::span<const PatchCell *const> m_cells;
};

StartPlace PatchedRuns::placeOf(const PathEnd &to) const
{
    const HeadRef &head = to.heads.front();
    return {sideOf(head.kind), spec().placeOf(head.kind, head.layer)};
}

bool PatchedRuns::reaches(const PatchCell &cell, const PathEnd &to) const
{
    return std::ranges::any_of(*cell.heads, [&](const HeadRef &head) {
        const StartPlace from{sideOf(head.kind), spec().placeOf(head.kind, head.layer)};
        if (to.isOutput())
            return from.side == spec().lastSide()
                && (cell.position == PatchCell::kEverywhere || cell.position == askedPosition(cell.pair));
        const StartPlace end = placeOf(to);
        // An encoder's output arrives in a decoder by cross-attention only.
        return from < end && (from.side == end.side || to.heads.front().kind == HeadKind::Cross);
    });
}

std::vector<AnswerScores> PatchedRuns::alongPaths(std::span<const PatchCell> cells, const PathEnd &to,
                                                  const std::function<void(std::int64_t)> &done) const
{
    if (plain())
        return alongPathsPlainly(cells, to, done);
    const auto rowsOfPath = [&](const PatchCell &cell, const StartPlace &) {
        if (to.isOutput())
            return std::int64_t{1};
        std::int64_t rows = 0;
        for (const Side side : kBothSides)
            rows += spec().stack(side) ? rowsOf(side).length(cell.pair) : 0;
        return rows;
    };
    const CellRuns runs{
        .wholeRuns = to.isOutput() ? 1 : 2,
        .isWithoutEffect = [&](const PatchCell &cell, const StartPlace &) { return !reaches(cell, to); },
        .rows = rowsOfPath,
        .run
        = [&](const StartPlace &start, std::span<const PatchCell *const> some) { return runPaths(start, some, to); }};
    return inPieces(cells, runs, done);
}

std::vector<AnswerScores> PatchedRuns::runPaths(const StartPlace &start, std::span<const PatchCell *const> cells,
                                                const PathEnd &to) const
{
    m_control.checkpoint();
    const Sequences &all = rowsOf(start.side);
    std::vector<std::int64_t> pairs, rows, positions;
    Sequences sequences;
    for (const PatchCell *cell : cells) {
        pairs.push_back(cell->pair);
        const bool one = to.isOutput() || cell->position != PatchCell::kEverywhere;
        const std::int64_t first = to.isOutput() ? askedPosition(cell->pair) : one ? cell->position : 0;
        const std::int64_t count = one ? 1 : all.length(cell->pair);
        sequences.add(count);
        for (std::int64_t position = first; position < first + count; ++position) {
            rows.push_back(all.first(cell->pair) + position);
            positions.push_back(position);
        }
    }
    FrozenExecutor frozen(*this, start.side, sequences, positions, rows, cells);
    const int places = spec().stack(start.side)->places();
    if (to.isOutput())
        return scoresOf(model().finish(start.side, frozen.run(start.place, places)).tensor(), pairs);

    const StartPlace receiver = placeOf(to);
    const bool sameStack = receiver.side == start.side;
    Rows changed = frozen.run(start.place, sameStack ? receiver.place : places);
    if (!sameStack)
        changed = model().finish(start.side, std::move(changed));
    // Where the changed rows are among all rows of the cells' pairs.
    const Sequences whole = all.only(pairs);
    std::vector<std::int64_t> changedRows;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto s = static_cast<std::int64_t>(i);
        for (std::int64_t row = sequences.first(s); row < sequences.first(s + 1); ++row)
            changedRows.push_back(whole.first(s) + positions[static_cast<std::size_t>(row)]);
    }
    const Given given = contextsOf(receiver, start, cells, changedRows, changed);
    std::vector<PatchCell> ends;
    std::vector<const PatchCell *> own;
    for (const std::int64_t pair : pairs)
        ends.push_back({pair, &to.heads});
    for (const PatchCell &cell : ends)
        own.push_back(&cell);
    return runPiece(receiver, own, &given);
}

PatchedRuns::Given PatchedRuns::contextsOf(const StartPlace &receiver, const StartPlace &start,
                                           std::span<const PatchCell *const> cells,
                                           const std::vector<std::int64_t> &rows, const Rows &changed) const
{
    std::vector<std::int64_t> pairs;
    for (const PatchCell *cell : cells)
        pairs.push_back(cell->pair);
    const auto at = static_cast<std::size_t>(receiver.place);
    const auto withChanges = [&](const Rows &base, const Sequences &of) {
        Rows whole = gatherRows(base, of.rowsOf(pairs));
        whole.tensor().index_copy_(0, indexTensor(rows, whole.options().device()), changed.tensor());
        return whole;
    };
    const bool sameStack = receiver.side == start.side;
    const Sequences sequences = rowsOf(receiver.side).only(pairs);
    const Rows &baseHidden = m_baseStates.of(receiver.side).hidden[at];
    Rows hidden = sameStack ? withChanges(baseHidden, rowsOf(receiver.side))
                            : gatherRows(baseHidden, rowsOf(receiver.side).rowsOf(pairs));
    RowExecutor executor(model(), receiver.side, sequences, m_control);
    Given given{{}, sequences};
    executor.onContext = [&](int, const Rows &context) { given.context = context; };
    Rows keys;
    const Sequences memorySequences = spec().isEncoderDecoder() ? m_sources.only(pairs) : Sequences();
    if (spec().stack(receiver.side)->at(receiver.place).attention()->readsMemory()) {
        if (!sameStack)
            keys = model().keysAndValues(Side::Decoder, receiver.place, withChanges(m_baseStates.memory, m_sources),
                                         memorySequences.positions());
        executor.keys = [&](int, const AttentionSpec &, const Rows &) {
            if (!sameStack)
                return keysOfSequences(keys, memorySequences);
            KeySource source = keysOfSequences(m_baseStates.decoder.keyValues[at], memorySequences);
            source.of = [&](std::int64_t s) -> KeyRows {
                const std::int64_t pair = pairs[static_cast<std::size_t>(s)];
                return {&m_baseStates.decoder.keyValues[at], m_sources.first(pair), m_sources.length(pair)};
            };
            return source;
        };
    }
    m_rowsRun += hidden.count();
    WalkState<Rows> state{receiver.place, std::move(hidden)};
    walk(spec(), receiver.side, state, receiver.place + 1, executor);
    return given;
}

std::vector<AnswerScores> PatchedRuns::alongPathsPlainly(std::span<const PatchCell> cells, const PathEnd &to,
                                                         const std::function<void(std::int64_t)> &done) const
{
    const auto readOf = [&](std::span<const PatchCell> some, const std::vector<std::int64_t> &pairs) {
        Recorder donor, base, run;
        donor.contexts = base.contexts = run.contexts = true;
        (void)readPlainly(pairs, false, openGates(), &donor);
        (void)readPlainly(pairs, true, openGates(), &base);
        const HeadGates open = openGates();
        HeadGates gates = open;
        // Every head is replaced: by its own context of the base run, or by the donor's. What is masked stays off.
        const auto replace = [&](HeadGates &of, HeadKind kind, int layer, const torch::Tensor &contexts,
                                 const torch::Tensor &replaced) {
            auto factors = torch::ones({contexts.size(1)}, contexts.options());
            if (open.at(kind, layer).gate.defined())
                factors = open.at(kind, layer).gate;
            LayerGate &gate = of.edit(kind, layer);
            gate.gate = factors.view({1, -1, 1}) * replaced.logical_not().to(contexts.options());
            gate.replacement = contexts * factors.view({1, -1, 1, 1});
        };
        for (const HeadLayout::Block &block : m_task.layout().blocks()) {
            for (std::size_t l = 0; l < block.layers.size(); ++l) {
                const std::vector<int> &heads = block.layers[l];
                const int layer = static_cast<int>(l);
                if (heads.empty())
                    continue;
                auto contexts = base.at(block.kind, layer, "context").clone(); // [B, H, T, Dh]
                const auto &donors = donor.at(block.kind, layer, "context");
                for (std::size_t i = 0; i < some.size(); ++i) {
                    for (const HeadRef &head : *some[i].heads) {
                        if (head.kind != block.kind || head.layer != layer)
                            continue;
                        const auto column = std::ranges::find(heads, head.head) - heads.begin();
                        const auto row = static_cast<std::int64_t>(i);
                        if (some[i].position == PatchCell::kEverywhere)
                            contexts[row][column].copy_(donors[row][column]);
                        else
                            contexts[row][column][some[i].position].copy_(donors[row][column][some[i].position]);
                    }
                }
                replace(gates, block.kind, layer, contexts,
                        torch::ones({contexts.size(0), contexts.size(1), contexts.size(2)}, torch::kBool));
            }
        }
        auto read = readPlainly(pairs, true, gates, &run);
        if (!to.isOutput()) {
            const HeadKind kind = to.heads.front().kind;
            const int layer = to.heads.front().layer;
            const auto &contexts = run.at(kind, layer, "context");
            auto replaced = torch::zeros({contexts.size(0), contexts.size(1), contexts.size(2)}, torch::kBool);
            const std::vector<int> &heads = m_task.layout().block(kind)->layers[static_cast<std::size_t>(layer)];
            for (const HeadRef &head : to.heads)
                replaced.select(1, std::ranges::find(heads, head.head) - heads.begin()).fill_(true);
            HeadGates second = open;
            replace(second, kind, layer, contexts, replaced);
            read = readPlainly(pairs, true, second, nullptr);
        }
        return read;
    };
    return inBatches(cells, readOf, done);
}

} // namespace headscope
