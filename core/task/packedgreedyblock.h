#pragma once

#include "core/packed/shortlists.h"
#include "core/task/greedydecoding.h"
#include "core/task/packedgeneration.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Greedy search: the base output is verified under a variant rather than decoded again. One parallel pass over it
/// shows the first token that the variant would have chosen otherwise; only from there is it decoded, all sentences of
/// a piece together, with the keys and values of the pass. The output of a quick tier is the draft that the next tier
/// verifies at the doubtful positions.
class PackedGreedyBlock final : public PackedGeneration
{
public:
    static std::shared_ptr<const PackedGreedyBlock> make(const Task &task, const GenerationRunner &runner,
                                                         const GenerationSettings &settings,
                                                         std::vector<std::int64_t> ids, const HeadMask &base,
                                                         const ReplacementPlan &plan, const RunOptions &run,
                                                         const JobControl &control);

private:
    struct GreedyPart;
    struct Group;
    struct Verification;
    struct Draft;
    struct Continuation;

    using PackedGeneration::PackedGeneration;
    std::unique_ptr<BasePart> makePart() const override;
    void search(BasePart &part, const JobControl &control) const override;
    float errorOfExact(const BasePart &part, const JobControl &control) const override;
    void keepPart(BasePart &part, const JobControl &control) override;
    void takePart(BasePart &part) override;
    void keepStates(std::span<const std::unique_ptr<BasePart>> parts) override;
    /// They begin, with keys and values of the memory by place.
    std::vector<GreedySentence> sentencesOf(const Group &group) const;
    /// Keys and values by place of what the decoder reads before it chooses anything, but for the last token, which the
    /// first step reads; nothing where that is all.
    std::vector<Rows> promptKeys(const Group &group, const JobControl &control) const;
    /// One part: new sentences come as others are finished.
    std::vector<std::span<const std::int64_t>> partsOfLane(const std::vector<std::int64_t> &ids) const override
    {
        return {ids};
    }
    std::int64_t rowsOfSearch(const BasePart &part) const;
    void updateTargets(GreedyPart &part) const;
    /// Where the sequence's decoder chooses the first token of its output.
    static std::int64_t firstChoice(const Sequences &targets, const Sequences &outputs, std::int64_t sequence);
    static Rows choosingRows(const GreedyPart &part, const Rows &hidden);
    Rows forceBase(const RowModel &model, const GreedyPart &part, const std::vector<Rows> &crossKeys, StackStates *keep,
                   const JobControl &control) const;

    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    /// Larger pieces than elsewhere: only the rows that leave the base output are decoded further, and it takes many
    /// rows to have enough of those.
    std::int64_t rowsTogether() const override { return 8 * PackedBlock::rowsTogether(); }
    bool showsLogits() const override { return false; }
    std::int64_t rowsOf(std::int64_t place) const override { return m_targets.length(place); }
    void verify(const StartPlace &start, Verification &v, const Precision &precision, std::vector<Answer> &answers,
                std::vector<Continuation> &changed, const JobControl &control) const;
    std::vector<Shortlists::Choice> likeliestTokens(const std::vector<std::vector<std::int64_t>> &questions,
                                                    const Verification &v, const Rows &hidden,
                                                    const Precision &precision) const;
    const std::vector<std::int64_t> &tokensOf(const Pair &pair) const;
    std::int64_t idOf(const Pair &pair) const { return m_ids[static_cast<std::size_t>(pair.place)]; }
    std::vector<std::int64_t> questionsOf(const Pair &pair) const;
    void conclude(const Pair &pair, std::vector<std::int64_t> tokens, const GreedySentence &sentence,
                  Answer &answer) const;
    Rows decode(Verification &v, const StartPlace &start, const JobControl &control) const;
    KeyRows crossOf(const Verification &v, int place, std::size_t pair) const;
    void leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
               GreedySentence &row) const;
    static void keepOnly(Verification &v, std::span<Continuation> changed);

    std::vector<std::vector<std::int64_t>> m_tokens; ///< base outputs
    Sequences m_targets; ///< what the decoder reads of each: what it is given, then the output but for its last token
    Sequences m_outputs; ///< the last rows of these, which choose the tokens
    Shortlists m_shortlists; ///< by row of the base outputs; empty where they cannot be used
};

} // namespace headscope
