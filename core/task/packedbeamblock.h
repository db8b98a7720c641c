#pragma once

#include "core/task/packedgeneration.h"
#include "core/task/prefixtree.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Beam search: all prefixes that the base search visited run through the decoder at once under a variant, each
/// attending to its own beginning. The variant's search then walks over that tree; only prefixes that are not in it are
/// run, those of all sentences of a piece together, step by step. Hypotheses and scores are those of a search from
/// scratch. Split bf16 comes before f32 where it costs less; where the margin of a decision is smaller than the
/// possible error of products, the next kind decides, and in the end the plain path.
class PackedBeamBlock final : public PackedGeneration
{
public:
    static std::shared_ptr<const PackedBeamBlock> make(const Task &task, const GenerationRunner &runner,
                                                       const GenerationSettings &settings,
                                                       std::vector<std::int64_t> ids, const HeadMask &base,
                                                       const ReplacementPlan &plan, const RunOptions &run,
                                                       const JobControl &control);

private:
    struct Search;
    struct Chain;
    struct ChainRows;
    struct BeamPart;
    struct Seen;

    using PackedGeneration::PackedGeneration;
    std::unique_ptr<BasePart> makePart() const override;
    void search(BasePart &part, const JobControl &control) const override;
    float errorOfExact(const BasePart &part, const JobControl &control) const override;
    void keepPart(BasePart &part, const JobControl &control) override;
    void takePart(BasePart &part) override;
    std::int64_t rowsPerStep() const override { return m_settings.beams; }
    std::vector<std::span<const std::int64_t>> partsOfLane(const std::vector<std::int64_t> &ids) const override;
    static double marginOf(const Search &search);
    static std::vector<Chain> chainsOf(std::vector<Search> &searches);
    std::vector<MarginError> errorsOf(const RowModel &quick, const BeamPart &part, const JobControl &control) const;
    static float errorAmong(std::span<const ScoredToken> exact, const ScoredToken &token);

    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    /// Larger pieces than elsewhere: prefixes outside the tree are run step by step, and it takes many sentences to
    /// have enough of them.
    std::int64_t rowsTogether() const override { return 4 * PackedBlock::rowsTogether(); }
    bool showsLogits() const override { return true; } // scores of hypotheses
    std::int64_t rowsOf(std::int64_t place) const override { return m_nodes.length(place); }

    void runNodes(const RowModel &model, std::span<const Chain> chains, const StartPlace *start, StackStates *keep,
                  std::deque<Rows> &kept, const JobControl &control) const;
    WalkState<Rows> stateOfBase(const StartPlace &start, const ChainRows &rows) const;
    void readLikeliest(const RowModel &model, const Rows &hidden, const ChainRows &rows) const;
    std::vector<KeyRows> crossOf(std::int64_t place) const;
    Answer answerOf(const Pair &pair, const Search &search, const Precision &precision) const;
    void finishSearches(const RowModel &model, std::vector<Search> &searches, std::deque<Rows> &kept,
                        const JobControl &control) const;
    void walk(Search &search) const;

    std::vector<PrefixTree> m_trees; ///< of the base search, in chains
    Sequences m_nodes;               ///< of the trees, as they lie in the states
};

} // namespace headscope
