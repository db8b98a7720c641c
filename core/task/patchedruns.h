#pragma once

#include "core/packed/rowexecutor.h"
#include "core/packed/rows.h"
#include "core/task/directeffects.h"
#include "core/task/packedblock.h"
#include "core/task/pairruns.h"
#include "core/task/patchingpairs.h"
#include "core/task/task.h"
#include "core/task/variantgates.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// ln p of the two answers of a pair: what every measure of patching is made of. Their difference is that of the
/// logits.
struct AnswerScores
{
    double answer = 0;
    double wrong = 0;

    bool operator==(const AnswerScores &) const = default;
};

/// Heads whose contexts are put together from the donor's run into the base run of a pair.
struct PatchCell
{
    static constexpr std::int64_t kEverywhere = -1;

    std::int64_t pair = 0; ///< place among the pairs that the runs were made of
    const std::vector<HeadRef> *heads = nullptr;
    std::int64_t position = kEverywhere; ///< query position that is patched
};

/// Where a path from a patched head ends: the attention of these heads, all of one layer, or, if there are none, the
/// output.
struct PathEnd
{
    std::vector<HeadRef> heads;

    bool isOutput() const { return heads.empty(); }
};

/// Activation patching (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022): pairs of texts, of which each cell runs
/// one (the base) with contexts c_h of heads from the other (the donor). All cells are computed on top of one run of
/// either text: a cell starts with the base run's states at the first attention that it patches, and in stacks that
/// read from left to right at the patched position. Heads of `masked` are off in all runs. Threads may share it.
class PatchedRuns
{
public:
    /// `pairs`: which of `all` these runs are of. `baseIsClean`: the clean text is run with contexts of the corrupt
    /// one, else the other way round. Borrows everything but `pairs`.
    PatchedRuns(const Task &task, const PatchingPairs &all, std::vector<std::int64_t> pairs, bool baseIsClean,
                const HeadMask &masked, const RunOptions &run, const JobControl &control);

    std::int64_t size() const { return std::ssize(m_pairs); }
    const std::vector<AnswerScores> &base() const { return m_base; }
    const std::vector<AnswerScores> &donor() const { return m_donor; }

    /// The scores of cells, in their order. `done` hears how many more are done, from any thread.
    std::vector<AnswerScores> patched(std::span<const PatchCell> cells,
                                      const std::function<void(std::int64_t)> &done = {}) const;
    /// Without anything shared between cells: each runs both whole texts, in padded batches. What patched() must equal.
    std::vector<AnswerScores> patchedPlainly(std::span<const PatchCell> cells,
                                             const std::function<void(std::int64_t)> &done = {}) const;

    /// Path patching (Wang et al. 2022; Goldowsky-Dill et al. 2023): a first run of the base text with the cell's
    /// contexts of the donor, in which all other heads keep those of the base run, while feed-forward layers are
    /// computed anew; of it only what reaches `to` counts: its output, or the contexts that the heads at the end make
    /// of their queries, keys and values, which a second run of the base text has. The heads of a cell lie in one
    /// stack.
    std::vector<AnswerScores> alongPaths(std::span<const PatchCell> cells, const PathEnd &to,
                                         const std::function<void(std::int64_t)> &done = {}) const;
    /// The same by whole runs, in padded batches.
    std::vector<AnswerScores> alongPathsPlainly(std::span<const PatchCell> cells, const PathEnd &to,
                                                const std::function<void(std::int64_t)> &done = {}) const;
    /// Whether the end can see anything of the cell.
    bool reaches(const PatchCell &cell, const PathEnd &to) const;

    /// Direct effects on one of the texts of the pairs `some`.
    DirectEffects directEffects(const std::vector<std::int64_t> &some, bool isBase) const
    {
        return headscope::directEffects(m_task.model(), m_all, among(some), isBase == m_baseIsClean, openGates());
    }

    /// First-order estimate of what patching changes `of` by: Σ_d (c_donor − c_base)·∂of/∂c_base for every head and
    /// position of the pairs `some` (attribution patching, Nanda 2023), by place "encoder.0.self.context": [B, H, T] in
    /// double. `of` maps ln p of both answers [B] to what is estimated [B].
    using OfScores = std::function<torch::Tensor(const torch::Tensor &answer, const torch::Tensor &wrong)>;
    std::map<std::string, torch::Tensor> attribution(const std::vector<std::int64_t> &some, const OfScores &of) const;

    /// Rows times sub-layers that cells took, and that as many runs of whole texts take.
    std::int64_t rowsRun() const { return m_rowsRun; }
    std::int64_t rowsOfWholeRuns() const { return m_wholeRows; }

private:
    class Executor;
    class FrozenExecutor;
    struct Kept
    {
        StackStates encoder, decoder;
        Rows memory{}; ///< output of the encoder, where a decoder reads it

        const StackStates &of(Side side) const { return side == Side::Encoder ? encoder : decoder; }
    };
    /// Contexts that cells get instead of the donor's: of all positions of their stack.
    struct Given
    {
        Rows context;
        Sequences sequences; ///< one for each cell
    };
    /// How cells that start at the same place run together.
    struct CellRuns
    {
        int wholeRuns = 1; ///< of both texts that one cell takes the place of
        std::function<bool(const PatchCell &cell, const StartPlace &start)> isWithoutEffect;
        std::function<std::int64_t(const PatchCell &cell, const StartPlace &start)> rows; ///< that a cell runs at once
        std::function<std::vector<AnswerScores>(const StartPlace &start, std::span<const PatchCell *const> cells)> run;
    };

    bool plain() const { return m_run.plain; }
    const TransformerSpec &spec() const { return m_task.model().spec(); }
    const RowModel &model() const { return m_task.rowModels().exact(m_run); }
    const PatchingPairs::Text &text(std::int64_t pair, bool isBase) const
    {
        return m_all.text(m_pairs[static_cast<std::size_t>(pair)], isBase == m_baseIsClean);
    }
    const Sequences &rowsOf(Side side) const { return side == Side::Encoder ? m_sources : m_targets; }
    std::vector<AnswerScores> runWhole(bool isBase, Kept &kept) const;
    /// The scores of cells, in their order: in pieces of limited memory, side by side.
    std::vector<AnswerScores> inPieces(std::span<const PatchCell> cells, const CellRuns &runs,
                                       const std::function<void(std::int64_t)> &done) const;
    /// The states that answers are read from, [n, D], of cells and their pairs.
    using ReadOfBatch
        = std::function<torch::Tensor(std::span<const PatchCell> cells, const std::vector<std::int64_t> &pairs)>;
    /// The scores of cells, in their order: in padded batches, side by side.
    std::vector<AnswerScores> inBatches(std::span<const PatchCell> cells, const ReadOfBatch &readOf,
                                        const std::function<void(std::int64_t)> &done) const;
    std::vector<AnswerScores> runPiece(const StartPlace &start, std::span<const PatchCell *const> cells,
                                       const Given *given = nullptr) const;
    Rows runDecoder(std::span<const PatchCell *const> cells, int from, bool isKnown, const std::vector<Rows> *cross,
                    const Sequences &memory, const Given *given = nullptr) const;
    /// Puts contexts of the donor, or given ones, into those of cells at a place.
    void patchContexts(const RowExecutor &executor, int place, const AttentionSpec &attention,
                       std::span<const PatchCell *const> cells, Rows &context, const Given *given) const;
    std::vector<AnswerScores> runPaths(const StartPlace &start, std::span<const PatchCell *const> cells,
                                       const PathEnd &to) const;
    /// The output of `receiver` for the states that its attention reads, once `changed` has come into the rows `rows`
    /// of all rows of the stack that `start` is in: contexts at all positions.
    Given contextsOf(const StartPlace &receiver, const StartPlace &start, std::span<const PatchCell *const> cells,
                     const std::vector<std::int64_t> &rows, const Rows &changed) const;
    StartPlace placeOf(const PathEnd &to) const;
    /// By place, of the memory of these sequences.
    std::vector<Rows> crossKeys(const Rows &memory, const Sequences &sequences) const;
    /// By what answers are read from, [n, D], each row of the pair at that place.
    std::vector<AnswerScores> scoresOf(const torch::Tensor &read, const std::vector<std::int64_t> &pairs) const;
    /// ln p of answers and wrong answers of the pairs, [n] each.
    std::pair<torch::Tensor, torch::Tensor> logProbabilities(const torch::Tensor &read,
                                                             const std::vector<std::int64_t> &pairs) const;
    /// Padded runs of one of the texts of each pair → what the answers are read from [B, D].
    torch::Tensor readPlainly(const std::vector<std::int64_t> &pairs, bool isBase, const HeadGates &gates,
                              Recorder *recorder) const
    {
        return readOfPairs(m_task.model(), m_all, among(pairs), isBase == m_baseIsClean, gates, recorder, m_control);
    }
    HeadGates openGates() const;
    StartPlace startOf(const PatchCell &cell) const;
    /// Rows that a cell runs, from its start on.
    std::int64_t rowsOfCell(const PatchCell &cell, const StartPlace &start) const;
    /// Whether the answer cannot depend on the cell.
    bool isWithoutEffect(const PatchCell &cell, const StartPlace &start) const;
    /// The pairs at these places among all.
    std::vector<std::int64_t> among(const std::vector<std::int64_t> &pairs) const;
    std::int64_t askedPosition(std::int64_t pair) const
    {
        return m_all.askedPosition(m_pairs[static_cast<std::size_t>(pair)]);
    }
    int lastAttention(Side side) const;
    bool readsOneRow(Side side) const { return side == spec().lastSide() && m_all.asked.empty(); }
    bool fromLeftToRight(Side side) const;

    const Task &m_task;
    const PatchingPairs &m_all;
    std::vector<std::int64_t> m_pairs;
    bool m_baseIsClean;
    HeadMask m_masked;
    RunOptions m_run;
    JobControl m_control;
    VariantGates m_gates; ///< of the masked heads
    Sequences m_sources, m_targets;
    Kept m_baseStates, m_donorStates;
    std::vector<AnswerScores> m_base, m_donor;
    mutable std::atomic<std::int64_t> m_rowsRun = 0;
    mutable std::atomic<std::int64_t> m_wholeRows = 0;
};

} // namespace headscope
