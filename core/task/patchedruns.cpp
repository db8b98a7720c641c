#include "core/task/patchedruns.h"

#include "core/model/likelihood.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace headscope {
namespace {

/// Cells of a piece: their logits over a whole vocabulary lie in memory together.
constexpr std::size_t kMostCells = 256;

/// Cells that run together from one place.
struct CellPiece
{
    StartPlace start;
    std::vector<std::size_t> cells;
};

/// Cuts cells that start at one place into pieces of at most so many rows, or of one cell that has more.
void addPieces(const StartPlace &start, const std::vector<std::size_t> &cells,
               const std::function<std::int64_t(std::size_t cell)> &rowsOf, std::int64_t most,
               std::vector<CellPiece> &pieces)
{
    std::int64_t rows = most;
    for (const std::size_t cell : cells) {
        const std::int64_t ofCell = rowsOf(cell);
        if (rows + ofCell > most || pieces.back().cells.size() == kMostCells) {
            pieces.push_back({start, {}});
            rows = 0;
        }
        rows += ofCell;
        pieces.back().cells.push_back(cell);
    }
}

} // namespace

/// A stack over cells, into which contexts of the donor are put before gates.
class PatchedRuns::Executor : public RowExecutor
{
public:
    Executor(const PatchedRuns &runs, Side ofSide, Sequences rows, std::span<const PatchCell *const> cells,
             const Given *given)
        : RowExecutor(runs.model(), ofSide, std::move(rows), runs.m_control), m_runs(runs), m_cells(cells),
          m_given(given)
    {
        gates = runs.maskedGates(cells.size());
    }

    void arrive(int place, const Rows &hidden) const
    {
        RowExecutor::arrive(place, hidden);
        m_runs.m_rowsRun += place == oneRowFrom ? sequences.count() : hidden.count();
    }

    Rows gate(int place, const AttentionSpec &attention, Rows context) const
    {
        m_runs.patchContexts(*this, place, attention, m_cells, context, m_given);
        return RowExecutor::gate(place, attention, std::move(context));
    }

    Rows run(WalkState<Rows> state)
    {
        walk(model.spec(), side, state, model.spec().stack(side)->places(), *this);
        return model.finish(side, std::move(state.hidden));
    }

private:
    const PatchedRuns &m_runs;
    std::span<const PatchCell *const> m_cells;
    const Given *m_given;
};

void PatchedRuns::patchContexts(const RowExecutor &executor, int place, const AttentionSpec &attention,
                                std::span<const PatchCell *const> cells, Rows &context, const Given *given) const
{
    const Side side = executor.side;
    const int layer = spec().stack(side)->at(place).layer;
    std::vector<std::int64_t> rows, donors, columns;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const PatchCell &cell = *cells[i];
        for (const HeadRef &head : *cell.heads) {
            if (head.kind != attention.kind || head.layer != layer)
                continue;
            const auto s = static_cast<std::int64_t>(i);
            for (std::int64_t row = executor.sequences.first(s); row < executor.sequences.first(s + 1); ++row) {
                const std::int64_t position = executor.positions[static_cast<std::size_t>(row)];
                if (!given && cell.position != PatchCell::kEverywhere && cell.position != position)
                    continue;
                rows.push_back(row);
                donors.push_back((given ? given->firsts[i] : rowsOf(side).first(cell.pair)) + position);
                columns.push_back(attention.columnOf(head.head));
            }
        }
    }
    if (rows.empty())
        return;
    const Rows &donor = given ? given->context : m_donorStates.of(side).context[static_cast<std::size_t>(place)];
    const auto heads = [&](const Rows &all) { return all.tensor().unflatten(1, {-1, attention.headWidth}); };
    const auto device = context.options().device();
    const auto column = indexTensor(columns, device);
    auto patched = heads(context);
    patched.index_put_({indexTensor(rows, device), column}, heads(donor).index({indexTensor(donors, device), column}));
}

PatchedRuns::PatchedRuns(const Task &task, const PatchingPairs &all, std::vector<std::int64_t> pairs, bool baseIsClean,
                         const HeadMask &masked, const RunOptions &run, const JobControl &control, PatchWhat what)
    : m_task(task), m_all(all), m_pairs(std::move(pairs)), m_baseIsClean(baseIsClean), m_masked(masked), m_run(run),
      m_control(control), m_what(what), m_gates({}, masked, task.layout(), nullptr)
{
    const torch::NoGradGuard noGrad;
    for (std::int64_t pair = 0; pair < size(); ++pair) {
        const PatchingPairs::Text &base = text(pair, true);
        const PatchingPairs::Text &donor = text(pair, false);
        m_sources.add(std::ssize(base.source));
        m_targets.add(std::ssize(base.prefix));
        const bool same = base.source == donor.source && spec().decoder && fromLeftToRight(Side::Decoder);
        m_begins.push_back(same ? std::ranges::mismatch(base.prefix, donor.prefix).in1 - base.prefix.begin() : 0);
    }
    if (plain()) {
        for (std::int64_t pair = 0; pair < size(); ++pair) {
            m_base.push_back(scoresOf(readPlainly({pair}, true, openGates(), nullptr), {pair}).front());
            m_donor.push_back(scoresOf(readPlainly({pair}, false, openGates(), nullptr), {pair}).front());
        }
        return;
    }
    m_base = runWhole(true, m_baseStates);
    m_donor = runWhole(false, m_donorStates);
    mixContexts();
    m_donorStates.memory = {};
    for (StackStates *states : {&m_donorStates.encoder, &m_donorStates.decoder}) {
        states->hidden.clear();
        if (!patchesKeys()) // else of the donor contexts are enough
            states->keyValues.clear();
    }
}

std::function<RowGates(HeadKind, int)> PatchedRuns::maskedGates(std::size_t sequences) const
{
    if (m_masked.empty())
        return {};
    return [this, sequences](HeadKind kind, int layer) { return RowGates(sequences, m_gates.at(kind, layer, 0)); };
}

std::int64_t PatchedRuns::rowsOfWholeRun(std::int64_t pair) const
{
    std::int64_t rows = 0;
    for (const Side side : kBothSides) {
        if (spec().stack(side))
            rows += spec().stack(side)->places() * rowsOf(side).length(pair);
    }
    return rows;
}

const Sequences &PatchedRuns::keyRows(const StartPlace &at) const
{
    return spec().stack(at.side)->at(at.place).attention()->readsMemory() ? m_sources : rowsOf(at.side);
}

Rows PatchedRuns::readBy(const StartPlace &at, Rows hidden) const
{
    if (!normsInput(spec().norm.placement) || !spec().stack(at.side)->at(at.place).normsInput)
        return hidden;
    return model().normalize(model().transformer().weights().stack(at.side).at(at.place).norm, std::move(hidden));
}

PatchedRuns::AttentionInputs PatchedRuns::inputsOf(const Kept &kept, const StartPlace &at,
                                                   const std::vector<std::int64_t> &pairs) const
{
    const auto place = static_cast<std::size_t>(at.place);
    const Sequences &rows = rowsOf(at.side);
    const std::vector<std::int64_t> positions = rows.only(pairs).positions();
    const Rows read = readBy(at, gatherRows(kept.of(at.side).hidden[place], rows.rowsOf(pairs)));
    return {model().queries(at.side, at.place, read, positions),
            gatherRows(kept.of(at.side).keyValues[place], keyRows(at).rowsOf(pairs))};
}

Rows PatchedRuns::contextsOf(const StartPlace &at, const std::vector<std::int64_t> &pairs,
                             const AttentionInputs &of) const
{
    const Sequences keys = keyRows(at).only(pairs);
    return model().attend(at.side, at.place, of.queries, rowsOf(at.side).only(pairs),
                          keysOfSequences(of.keyValues, keys), {});
}

void PatchedRuns::mixContexts()
{
    if (m_what == PatchWhat::Context || patchesKeys())
        return;
    std::vector<std::int64_t> all;
    for (std::int64_t pair = 0; pair < size(); ++pair)
        all.push_back(pair);
    for (const Side side : kBothSides) {
        for (int place = 0; spec().stack(side) && place < spec().stack(side)->places(); ++place) {
            const AttentionSpec *attention = spec().stack(side)->at(place).attention();
            if (!attention || attention->heads.empty())
                continue;
            const StartPlace at{side, place};
            AttentionInputs mixed = inputsOf(m_baseStates, at, all);
            const AttentionInputs donor = inputsOf(m_donorStates, at, all);
            mixed.queries = donor.queries;
            if (m_what == PatchWhat::Pattern) {
                const auto keys = [&](const Rows &of) { return of.tensor().narrow(1, 0, attention->keyWidth()); };
                keys(mixed.keyValues).copy_(keys(donor.keyValues));
            }
            (side == Side::Encoder ? m_donorStates.encoder : m_donorStates.decoder)
                .context[static_cast<std::size_t>(place)]
                = contextsOf(at, all, mixed);
        }
    }
}

PatchedRuns::Given PatchedRuns::contextsOfKeys(const StartPlace &at, std::span<const PatchCell *const> cells) const
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> known; // of pair and position
    std::vector<std::size_t> numbers;
    std::vector<std::int64_t> pairs, rows;
    for (const PatchCell *cell : cells) {
        const auto [found, isNew] = known.try_emplace({cell->pair, cell->position}, pairs.size());
        if (isNew)
            pairs.push_back(cell->pair);
        numbers.push_back(found->second);
    }
    AttentionInputs mixed = inputsOf(m_baseStates, at, pairs);
    const Sequences own = keyRows(at).only(pairs);
    std::vector<std::int64_t> donors;
    for (const auto &[cell, number] : known) {
        const auto &[pair, position] = cell;
        const auto s = static_cast<std::int64_t>(number);
        const bool everywhere = position == PatchCell::kEverywhere;
        for (std::int64_t t = everywhere ? 0 : position; t < (everywhere ? own.length(s) : position + 1); ++t) {
            rows.push_back(own.first(s) + t);
            donors.push_back(keyRows(at).first(pair) + t);
        }
    }
    const AttentionSpec &attention = *spec().stack(at.side)->at(at.place).attention();
    const std::int64_t first = m_what == PatchWhat::Key ? 0 : attention.keyWidth();
    const std::int64_t count = m_what == PatchWhat::Key ? attention.keyWidth() : attention.valueWidth();
    const Rows donor = gatherRows(m_donorStates.of(at.side).keyValues[static_cast<std::size_t>(at.place)], donors);
    auto columns = mixed.keyValues.tensor().narrow(1, first, count);
    columns.index_copy_(0, indexTensor(rows, columns.device()), donor.tensor().narrow(1, first, count));
    Given given{contextsOf(at, pairs, mixed), {}};
    const Sequences queries = rowsOf(at.side).only(pairs);
    for (const std::size_t number : numbers)
        given.firsts.push_back(queries.first(static_cast<std::int64_t>(number)));
    return given;
}

std::int64_t PatchedRuns::firstChange(const PatchCell &cell) const
{
    const std::int64_t begin = m_begins[static_cast<std::size_t>(cell.pair)];
    if (cell.position == PatchCell::kEverywhere || (patchesKeys() && cell.heads->front().kind == HeadKind::Cross))
        return std::min(begin, m_targets.length(cell.pair) - 1); // of a pair of equal texts something is run, too
    return cell.position;
}

std::vector<Rows> PatchedRuns::crossKeys(const Rows &memory, const Sequences &sequences) const
{
    const std::vector<std::int64_t> positions = sequences.positions();
    const StackSpec &stack = *spec().decoder;
    std::vector<Rows> cross(static_cast<std::size_t>(stack.places()));
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (attention && attention->readsMemory() && !attention->heads.empty())
            cross[static_cast<std::size_t>(place)] = model().keysAndValues(Side::Decoder, place, memory, positions);
    }
    return cross;
}

std::vector<AnswerScores> PatchedRuns::runWhole(bool isBase, Kept &kept) const
{
    const auto run = [&](Side side, StackStates &states, const std::vector<Rows> *cross) {
        const Sequences &sequences = rowsOf(side);
        states = StackStates(spec().stack(side)->subLayers.size());
        std::vector<std::int64_t> tokens, types;
        for (std::int64_t pair = 0; pair < size(); ++pair) {
            const PatchingPairs::Text &one = text(pair, isBase);
            const auto &own = side == Side::Encoder ? one.source : one.prefix;
            tokens.insert(tokens.end(), own.begin(), own.end());
            if (side == (spec().encoder ? Side::Encoder : Side::Decoder))
                types.insert(types.end(), one.types.begin(), one.types.end());
        }
        RowExecutor executor(model(), side, sequences, m_control);
        Rows own;
        executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
            const auto at = static_cast<std::size_t>(place);
            if (attention.readsMemory())
                return keysOfSequences((*cross)[at], m_sources);
            states.keyValues[at] = model().keysAndValues(side, place, x, executor.positions);
            return keysOfSequences(states.keyValues[at], executor.sequences);
        };
        executor.gates = maskedGates(static_cast<std::size_t>(size()));
        executor.recordActivations(states.hidden, states.context);
        const auto positions = side == Side::Encoder ? model().positionsOf(tokens, sequences) : executor.positions;
        return executor.runToEnd({0, model().embed(side, tokens, positions, types)});
    };
    Rows hidden;
    if (spec().encoder)
        hidden = run(Side::Encoder, kept.encoder, nullptr);
    if (spec().decoder) {
        const std::vector<Rows> cross = spec().encoder ? crossKeys(hidden, m_sources) : std::vector<Rows>();
        kept.memory = spec().encoder ? hidden : Rows();
        hidden = run(Side::Decoder, kept.decoder, &cross);
        for (std::size_t place = 0; place < cross.size(); ++place) {
            if (cross[place].width() > 0)
                kept.decoder.keyValues[place] = cross[place];
        }
    }
    std::vector<std::int64_t> rows, pairs;
    for (std::int64_t pair = 0; pair < size(); ++pair) {
        rows.push_back(rowsOf(spec().lastSide()).first(pair) + askedPosition(pair));
        pairs.push_back(pair);
    }
    return scoresOf(gatherRows(hidden, rows).tensor(), pairs);
}

int PatchedRuns::lastAttention(Side side) const
{
    const StackSpec &stack = *spec().stack(side);
    int last = -1;
    for (int place = 0; place < stack.places(); ++place) {
        if (stack.at(place).attention())
            last = place;
    }
    return last;
}

bool PatchedRuns::fromLeftToRight(Side side) const
{
    return std::ranges::all_of(spec().stack(side)->subLayers, [](const SubLayer &sub) {
        const AttentionSpec *attention = sub.attention();
        return !attention || attention->readsMemory() || attention->causal;
    });
}

StartPlace PatchedRuns::startOf(const PatchCell &cell) const
{
    StartPlace first{Side::Decoder, std::numeric_limits<int>::max()};
    for (const HeadRef &head : *cell.heads)
        first = std::min(first, {sideOf(head.kind), spec().placeOf(head.kind, head.layer)});
    return first;
}

std::int64_t PatchedRuns::rowsOfCell(const PatchCell &cell, const StartPlace &start) const
{
    const std::int64_t length = rowsOf(start.side).length(cell.pair);
    const std::int64_t decoder = start.side == Side::Encoder && spec().decoder ? m_targets.length(cell.pair) : 0;
    const bool cut = start.side == Side::Decoder && fromLeftToRight(start.side);
    return decoder + (cut ? length - firstChange(cell) : length);
}

bool PatchedRuns::isWithoutEffect(const PatchCell &cell, const StartPlace &start) const
{
    return cell.position != PatchCell::kEverywhere && !patchesKeys() && start.side == spec().lastSide()
        && start.place == lastAttention(start.side) && cell.position != askedPosition(cell.pair);
}

PatchedRuns::DecoderRows PatchedRuns::decoderRows(std::span<const PatchCell *const> cells, bool onlyLast,
                                                  bool suffix) const
{
    DecoderRows own;
    for (const PatchCell *cell : cells) {
        const std::int64_t length = m_targets.length(cell->pair);
        const std::int64_t begin = onlyLast ? length - 1 : suffix ? firstChange(*cell) : 0;
        own.sequences.add(length - begin);
        own.begins.push_back(begin);
        own.longest = std::max(own.longest, length);
        for (std::int64_t position = begin; position < length; ++position) {
            own.rows.push_back(m_targets.first(cell->pair) + position);
            own.positions.push_back(position);
        }
    }
    return own;
}

KeySource PatchedRuns::keysOfMemory(std::span<const PatchCell *const> cells, std::size_t at,
                                    const std::vector<Rows> *cross, const Sequences &memory) const
{
    KeySource source;
    for (const PatchCell *cell : cells)
        source.longest = std::max(source.longest, m_sources.length(cell->pair));
    source.of = [this, &memory, cells, at, cross](std::int64_t s) -> KeyRows {
        const std::int64_t pair = cells[static_cast<std::size_t>(s)]->pair;
        if (cross)
            return {&(*cross)[at], memory.first(s), memory.length(s)};
        return {&m_baseStates.decoder.keyValues[at], m_sources.first(pair), m_sources.length(pair)};
    };
    return source;
}

/// The decoder over cells from the attention `from` on. `isKnown`: it begins there with the base run's context; else
/// with what the attention reads. `cross`: keys and values of the memory by place, whose sequences are `memory`; null:
/// those of the base run.
Rows PatchedRuns::runDecoder(std::span<const PatchCell *const> cells, int from, bool isKnown,
                             const std::vector<Rows> *cross, const Sequences &memory, const Given *given) const
{
    const bool oneRow = readsOneRow(Side::Decoder);
    const int last = lastAttention(Side::Decoder);
    const bool onlyLast = oneRow && isKnown && from == last;
    const bool suffix = isKnown && fromLeftToRight(Side::Decoder);
    const DecoderRows rows = decoderRows(cells, onlyLast, suffix);
    Executor executor(*this, Side::Decoder, rows.sequences, cells, given);
    executor.positions = rows.positions;
    executor.oneRowFrom = oneRow && !onlyLast ? last : -1;
    std::vector<RowRef> seen;
    Rows own;
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) -> KeySource {
        const auto at = static_cast<std::size_t>(place);
        if (attention.readsMemory())
            return keysOfMemory(cells, at, cross, memory);
        own = model().keysAndValues(Side::Decoder, place, x, executor.positions);
        return {[&, known = &m_baseStates.decoder.keyValues[at]](std::int64_t s) -> KeyRows {
                    const std::int64_t begin = rows.begins[static_cast<std::size_t>(s)];
                    if (begin == 0)
                        return {&own, rows.sequences.first(s), rows.sequences.length(s)};
                    seen.clear();
                    const std::int64_t first = m_targets.first(cells[static_cast<std::size_t>(s)]->pair);
                    for (std::int64_t position = 0; position < begin; ++position)
                        seen.push_back({known, first + position});
                    for (std::int64_t row = rows.sequences.first(s); row < rows.sequences.first(s + 1); ++row)
                        seen.push_back({&own, row});
                    return {.scattered = seen};
                },
                rows.longest};
    };
    const auto at = static_cast<std::size_t>(from);
    WalkState<Rows> state{from, gatherRows(m_baseStates.decoder.hidden[at], rows.rows)};
    if (isKnown)
        state.context = gatherRows(m_baseStates.decoder.context[at], rows.rows);
    const Rows hidden = executor.run(std::move(state));
    if (oneRow)
        return hidden;
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < cells.size(); ++i)
        read.push_back(rows.sequences.first(static_cast<std::int64_t>(i)) + askedPosition(cells[i]->pair)
                       - rows.begins[i]);
    return gatherRows(hidden, read);
}

std::vector<AnswerScores> PatchedRuns::runPiece(const StartPlace &start, std::span<const PatchCell *const> cells,
                                                const Given *given) const
{
    m_control.checkpoint();
    std::vector<std::int64_t> pairs;
    for (const PatchCell *cell : cells)
        pairs.push_back(cell->pair);
    Given ofKeys;
    if (!given && patchesKeys()) {
        ofKeys = contextsOfKeys(start, cells);
        given = &ofKeys;
    }
    if (start.side == Side::Decoder)
        return scoresOf(runDecoder(cells, start.place, true, nullptr, m_sources, given).tensor(), pairs);

    const bool oneRow = readsOneRow(Side::Encoder);
    const int last = lastAttention(Side::Encoder);
    const bool onlyLast = oneRow && start.place == last;
    const Sequences sequences = m_sources.only(pairs);
    Executor executor(*this, Side::Encoder, sequences, cells, given);
    std::vector<std::int64_t> rows = m_sources.rowsOf(pairs);
    if (onlyLast) {
        std::vector<std::int64_t> first;
        for (const std::int64_t row : sequences.firstRows())
            first.push_back(rows[static_cast<std::size_t>(row)]);
        rows = std::move(first);
        executor.keepOneRow();
    }
    executor.oneRowFrom = oneRow && !onlyLast ? last : -1;
    const auto at = static_cast<std::size_t>(start.place);
    const Rows hidden = executor.run({start.place, gatherRows(m_baseStates.encoder.hidden[at], rows),
                                      gatherRows(m_baseStates.encoder.context[at], rows)});
    if (!spec().decoder) {
        if (oneRow)
            return scoresOf(hidden.tensor(), pairs);
        std::vector<std::int64_t> read;
        for (std::size_t i = 0; i < cells.size(); ++i)
            read.push_back(sequences.first(static_cast<std::int64_t>(i)) + askedPosition(pairs[i]));
        return scoresOf(gatherRows(hidden, read).tensor(), pairs);
    }
    // The decoder differs from the base run's from where it reads the memory, or from a patched head of its own.
    const std::vector<Rows> cross = crossKeys(hidden, sequences);
    int from = 0;
    while (from < spec().decoder->places()
           && !(spec().decoder->at(from).attention() && spec().decoder->at(from).attention()->readsMemory()))
        ++from;
    const bool patchesDecoder = std::ranges::any_of(cells, [](const PatchCell *cell) {
        return std::ranges::any_of(*cell->heads, [](const HeadRef &head) { return head.kind != HeadKind::Encoder; });
    });
    if (patchesDecoder || from == spec().decoder->places())
        from = 0;
    return scoresOf(runDecoder(cells, from, false, &cross, sequences, given).tensor(), pairs);
}

std::vector<AnswerScores> PatchedRuns::patched(std::span<const PatchCell> cells,
                                               const std::function<void(std::int64_t)> &done) const
{
    if (plain())
        return patchedPlainly(cells, done);
    const CellRuns runs{
        .isWithoutEffect
        = [this](const PatchCell &cell, const StartPlace &start) { return isWithoutEffect(cell, start); },
        .rows = [this](const PatchCell &cell, const StartPlace &start) { return rowsOfCell(cell, start); },
        .run
        = [this](const StartPlace &start, std::span<const PatchCell *const> some) { return runPiece(start, some); }};
    return inPieces(cells, runs, done);
}

std::vector<AnswerScores> PatchedRuns::inPieces(std::span<const PatchCell> cells, const CellRuns &runs,
                                                const std::function<void(std::int64_t)> &done) const
{
    const torch::NoGradGuard noGrad;
    std::vector<AnswerScores> scores(cells.size());
    std::map<StartPlace, std::vector<std::size_t>> byStart;
    std::int64_t without = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        m_wholeRows += rowsOfWholeRun(cells[i].pair);
        const StartPlace start = startOf(cells[i]);
        scores[i] = m_base[static_cast<std::size_t>(cells[i].pair)];
        if (runs.isWithoutEffect(cells[i], start))
            ++without;
        else
            byStart[start].push_back(i);
    }
    if (done)
        done(without);
    std::vector<CellPiece> pieces;
    for (const auto &[start, own] : byStart)
        addPieces(
            start, own, [&](std::size_t cell) { return runs.rows(cells[cell], start); },
            m_task.execution().workSizes().rowsOfPass / 2, pieces);
    m_task.execution().runPieces(std::ssize(pieces), [&](std::int64_t p) {
        const CellPiece &piece = pieces[static_cast<std::size_t>(p)];
        std::vector<const PatchCell *> own;
        for (const std::size_t cell : piece.cells)
            own.push_back(&cells[cell]);
        const auto found = runs.run(piece.start, own);
        for (std::size_t i = 0; i < found.size(); ++i)
            scores[piece.cells[i]] = found[i];
        if (done)
            done(std::ssize(piece.cells));
    });
    return scores;
}

std::pair<torch::Tensor, torch::Tensor> PatchedRuns::logProbabilities(const torch::Tensor &read,
                                                                      const std::vector<std::int64_t> &pairs) const
{
    const auto logits = answerLogits(m_task.model(), m_all, read);
    const auto of = [&](const std::vector<std::int64_t> &answers) {
        std::vector<std::int64_t> tokens;
        for (const std::int64_t pair : pairs)
            tokens.push_back(answers[static_cast<std::size_t>(m_pairs[static_cast<std::size_t>(pair)])]);
        return logProbabilitiesOf(indexTensor(tokens, logits.device()), logits);
    };
    return {of(m_all.answers), of(m_all.wrongAnswers)};
}

std::vector<AnswerScores> PatchedRuns::scoresOf(const torch::Tensor &read, const std::vector<std::int64_t> &pairs) const
{
    const auto [answer, wrong] = logProbabilities(read, pairs);
    const auto right = answer.to(torch::kCPU, torch::kFloat64).contiguous();
    const auto other = wrong.to(torch::kCPU, torch::kFloat64).contiguous();
    std::vector<AnswerScores> scores;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        scores.push_back({right.data_ptr<double>()[i], other.data_ptr<double>()[i]});
    return scores;
}

HeadGates PatchedRuns::openGates() const
{
    return HeadGates::fromMask(m_masked, m_task.layout(), m_task.tensorOptions());
}

std::vector<std::int64_t> PatchedRuns::among(const std::vector<std::int64_t> &pairs) const
{
    std::vector<std::int64_t> ofAll;
    for (const std::int64_t pair : pairs)
        ofAll.push_back(m_pairs[static_cast<std::size_t>(pair)]);
    return ofAll;
}

std::vector<AnswerScores> PatchedRuns::inBatches(std::span<const PatchCell> cells, const ReadOfBatch &readOf,
                                                 const std::function<void(std::int64_t)> &done) const
{
    const torch::NoGradGuard noGrad;
    std::vector<AnswerScores> scores(cells.size());
    constexpr std::size_t kTogether = 32;
    const std::size_t batches = (cells.size() + kTogether - 1) / kTogether;
    m_task.execution().parallelFor(static_cast<std::int64_t>(batches), [&](std::int64_t b) {
        const std::size_t first = static_cast<std::size_t>(b) * kTogether;
        const auto some = cells.subspan(first, std::min(kTogether, cells.size() - first));
        std::vector<std::int64_t> pairs;
        for (const PatchCell &cell : some)
            pairs.push_back(cell.pair);
        const auto found = scoresOf(readOf(some, pairs), pairs);
        std::ranges::copy(found, scores.begin() + static_cast<std::ptrdiff_t>(first));
        if (done)
            done(std::ssize(found));
    });
    return scores;
}

std::vector<AnswerScores> PatchedRuns::patchedPlainly(std::span<const PatchCell> cells,
                                                      const std::function<void(std::int64_t)> &done) const
{
    const auto readOf = [&](std::span<const PatchCell> some, const std::vector<std::int64_t> &pairs) {
        const auto donor = partsOfDonor(pairs, patchedPart());
        return readEdited(pairs, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
            if (part != patchedPart())
                return;
            const SubLayer &sub = spec().stack(side)->at(place);
            value = value.clone();
            for (std::size_t i = 0; i < some.size(); ++i) {
                for (const HeadRef &head : *some[i].heads) {
                    if (head.kind != sub.attention()->kind || head.layer != sub.layer)
                        continue;
                    const std::int64_t column = sub.attention()->columnOf(head.head);
                    auto own = value[static_cast<std::int64_t>(i)][column];
                    const auto other = donor.at({side, place})[static_cast<std::int64_t>(i)][column];
                    if (some[i].position == PatchCell::kEverywhere)
                        own.copy_(other);
                    else
                        own[some[i].position].copy_(other[some[i].position]);
                }
            }
        });
    };
    return inBatches(cells, readOf, done);
}

WalkPart PatchedRuns::patchedPart() const
{
    switch (m_what) {
    case PatchWhat::Query:
        return WalkPart::Query;
    case PatchWhat::Key:
        return WalkPart::Key;
    case PatchWhat::Value:
        return WalkPart::Value;
    case PatchWhat::Pattern:
        return WalkPart::Pattern;
    case PatchWhat::Context:
        break;
    }
    return WalkPart::Context;
}

std::map<StartPlace, torch::Tensor> PatchedRuns::partsOfDonor(const std::vector<std::int64_t> &pairs,
                                                              WalkPart part) const
{
    const torch::NoGradGuard noGrad;
    std::map<StartPlace, torch::Tensor> parts;
    (void)readEdited(pairs, false, [&](Side side, int place, WalkPart of, torch::Tensor &value) {
        if (of == part)
            parts[{side, place}] = value;
    });
    return parts;
}

std::map<StartPlace, torch::Tensor> PatchedRuns::attribution(const std::vector<std::int64_t> &some,
                                                             const OfScores &of) const
{
    const auto donor = partsOfDonor(some, patchedPart());
    const torch::AutoGradMode withGradients(true);
    std::vector<StartPlace> places;
    std::vector<torch::Tensor> values;
    const auto read = readEdited(some, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
        if (part != patchedPart())
            return;
        if (!value.requires_grad())
            value.requires_grad_(true);
        places.push_back({side, place});
        values.push_back(value);
    });
    const auto [answer, wrong] = logProbabilities(read, some);
    const auto gradients = torch::autograd::grad({of(answer, wrong).sum()}, values, {}, false, false, true);
    std::map<StartPlace, torch::Tensor> result;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto gradient = gradients[i].defined() ? gradients[i] : torch::zeros_like(values[i]);
        result[places[i]] = ((donor.at(places[i]) - values[i].detach()) * gradient)
                                .to(torch::kFloat64)
                                .sum(-1)
                                .to(torch::kCPU)
                                .contiguous();
    }
    return result;
}

} // namespace headscope
