#pragma once

#include "core/packed/rowexecutor.h"
#include "core/packed/rows.h"
#include "core/results/patchresult.h"
#include "core/task/directeffects.h"
#include "core/task/editedruns.h"
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

/// Heads of which something is put together from the donor's run into the base run of a pair. Where that is not their
/// contexts, they are of one attention.
struct PatchCell
{
    static constexpr std::int64_t kEverywhere = -1;

    std::int64_t pair = 0; ///< place among the pairs that the runs were made of
    const std::vector<HeadRef> *heads = nullptr;
    std::int64_t position = kEverywhere; ///< that is patched: of the query; of keys and values the key's
};

/// Activation patching (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022): pairs of texts, of which each cell runs
/// one (the base) with contexts c_h of heads from the other (the donor), or with their queries, keys, values or
/// patterns. All cells are computed on top of one run of either text: what else is patched becomes contexts in the
/// attention that it is patched in, and a cell starts with the base run's states at the first attention that it
/// patches, in stacks that read from left to right at the first position that it changes. Heads of `masked` are off in
/// all runs. Threads may share it.
class PatchedRuns
{
public:
    /// `pairs`: which of `all` these runs are of. `baseIsClean`: the clean text is run with contexts of the corrupt
    /// one, else the other way round. Borrows everything but `pairs`.
    PatchedRuns(const Task &task, const PatchingPairs &all, std::vector<std::int64_t> pairs, bool baseIsClean,
                const HeadMask &masked, const RunOptions &run, const JobControl &control,
                PatchWhat what = PatchWhat::Context);

    std::int64_t size() const { return std::ssize(m_pairs); }
    const std::vector<AnswerScores> &base() const { return m_base; }
    const std::vector<AnswerScores> &donor() const { return m_donor; }

    /// The scores of cells, in their order. `done` hears how many more are done, from any thread.
    std::vector<AnswerScores> patched(std::span<const PatchCell> cells,
                                      const std::function<void(std::int64_t)> &done = {}) const;
    /// Without anything shared between cells: each runs both whole texts, in padded batches. What patched() must equal.
    std::vector<AnswerScores> patchedPlainly(std::span<const PatchCell> cells,
                                             const std::function<void(std::int64_t)> &done = {}) const;

    /// Direct effects on one of the texts of the pairs `some`.
    DirectEffects directEffects(const std::vector<std::int64_t> &some, bool isBase) const
    {
        return headscope::directEffects(m_task.model(), m_all, among(some), isBase == m_baseIsClean, openGates());
    }

    /// First-order estimate of what patching changes `of` by: Σ_d (c_donor − c_base)·∂of/∂c_base for every head and
    /// position of the pairs `some` (attribution patching, Nanda 2023), c what is patched, by attention: [B, H, T] in
    /// double. `of` maps ln p of both answers [B] to what is estimated [B].
    using OfScores = std::function<torch::Tensor(const torch::Tensor &answer, const torch::Tensor &wrong)>;
    std::map<StartPlace, torch::Tensor> attribution(const std::vector<std::int64_t> &some, const OfScores &of) const;

    /// Rows times sub-layers that cells took, and that as many runs of whole texts take.
    std::int64_t rowsRun() const { return m_rowsRun; }
    std::int64_t rowsOfWholeRuns() const { return m_wholeRows; }

private:
    friend class PathRuns;
    class Executor;
    struct Kept
    {
        StackStates encoder, decoder;
        Rows memory{}; ///< output of the encoder, where a decoder reads it

        const StackStates &of(Side side) const { return side == Side::Encoder ? encoder : decoder; }
    };
    /// Contexts that cells get instead of the donor's, at all positions that they run.
    struct Given
    {
        Rows context;
        std::vector<std::int64_t> firsts; ///< of every cell the row of its stack's first position
    };
    /// Inputs of an attention's scores and contexts: rows of all positions.
    struct AttentionInputs
    {
        Rows queries, keyValues;
    };
    /// Rows of the decoder that cells run.
    struct DecoderRows
    {
        Sequences sequences{};
        std::vector<std::int64_t> rows{}, positions{}; ///< among those of the base run, and in their texts
        std::vector<std::int64_t> begins{};            ///< by cell, its first position
        std::int64_t longest = 0;                      ///< text
    };
    /// How cells that start at the same place run together.
    struct CellRuns
    {
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
    /// Only the last row of every text, or from the first change on, or all of it.
    DecoderRows decoderRows(std::span<const PatchCell *const> cells, bool onlyLast, bool suffix) const;
    /// Keys and values of the memory in the decoder's attention `at`: `cross`, whose sequences are `memory`, or null:
    /// those of the base run. Keeps references.
    KeySource keysOfMemory(std::span<const PatchCell *const> cells, std::size_t at, const std::vector<Rows> *cross,
                           const Sequences &memory) const;
    Rows runDecoder(std::span<const PatchCell *const> cells, int from, bool isKnown, const std::vector<Rows> *cross,
                    const Sequences &memory, const Given *given = nullptr) const;
    /// Puts contexts of the donor, or given ones, into those of cells at a place.
    void patchContexts(const RowExecutor &executor, int place, const AttentionSpec &attention,
                       std::span<const PatchCell *const> cells, Rows &context, const Given *given) const;
    /// Inputs in one run, of the pairs `pairs`.
    AttentionInputs inputsOf(const Kept &kept, const StartPlace &at, const std::vector<std::int64_t> &pairs) const;
    /// The stream as an attention reads it: behind its norm, if it has one.
    Rows readBy(const StartPlace &at, Rows hidden) const;
    /// Contexts of an attention of the pairs `pairs`.
    Rows contextsOf(const StartPlace &at, const std::vector<std::int64_t> &pairs, const AttentionInputs &of) const;
    /// Puts in the place of the donor's contexts those which the base run has with the donor's queries or patterns.
    void mixContexts();
    /// The contexts with keys or values of the donor, which differ from cell to cell.
    Given contextsOfKeys(const StartPlace &at, std::span<const PatchCell *const> cells) const;
    bool patchesKeys() const { return m_what == PatchWhat::Key || m_what == PatchWhat::Value; }
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
    torch::Tensor readEdited(const std::vector<std::int64_t> &pairs, bool isBase, const EditPart &edit) const
    {
        return readOfEditedPairs(m_task.model(), m_all, among(pairs), isBase == m_baseIsClean, openGates(), edit,
                                 m_control);
    }
    /// The parts of every attention in the donor's run.
    std::map<StartPlace, torch::Tensor> partsOfDonor(const std::vector<std::int64_t> &pairs, WalkPart part) const;
    WalkPart patchedPart() const;
    HeadGates openGates() const;
    /// The same for an executor over rows of so many sequences; empty: no head is masked.
    std::function<RowGates(HeadKind, int)> maskedGates(std::size_t sequences) const;
    /// Rows times sub-layers of one run of the whole texts.
    std::int64_t rowsOfWholeRun(std::int64_t pair) const;
    StartPlace startOf(const PatchCell &cell) const;
    /// The first position of the decoder at which a cell can change something.
    std::int64_t firstChange(const PatchCell &cell) const;
    const Sequences &keyRows(const StartPlace &at) const;
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
    PatchWhat m_what;
    VariantGates m_gates; ///< of the masked heads
    Sequences m_sources, m_targets;
    std::vector<std::int64_t> m_begins; ///< by pair: the decoder is the same in both runs before this position
    Kept m_baseStates, m_donorStates;
    std::vector<AnswerScores> m_base, m_donor;
    mutable std::atomic<std::int64_t> m_rowsRun = 0;
    mutable std::atomic<std::int64_t> m_wholeRows = 0;
};

} // namespace headscope
