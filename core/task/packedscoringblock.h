#pragma once

#include "core/task/packedblock.h"
#include "core/task/scoringrunner.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Scoring of given text: every variant starts at the attention where it begins to differ. Scores are numbers, not
/// decisions: products are exact.
class PackedScoringBlock final : public PackedBlock
{
public:
    static std::shared_ptr<const PackedScoringBlock> make(const Task &task, const ScoringRunner &runner,
                                                          std::vector<std::int64_t> ids, const HeadMask &base,
                                                          const ReplacementPlan &plan, const RunOptions &run,
                                                          const JobControl &control);

private:
    PackedScoringBlock(const Task &task, const ScoringRunner &runner, std::vector<std::int64_t> ids,
                       const HeadMask &base, const ReplacementPlan &plan, const RunOptions &run);
    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    bool showsLogits() const override { return true; }
    std::int64_t rowsOf(std::int64_t place) const override { return m_rows[static_cast<std::size_t>(place)]; }

    /// Sequences of some examples of the block, as rows lie.
    struct Together
    {
        std::vector<std::int64_t> places;    ///< of the examples
        std::vector<std::int64_t> owners;    ///< which of `places` each sequence is of
        std::vector<std::int64_t> sequences; ///< numbers in m_all
        Sequences rows;
    };
    Together together(std::span<const std::int64_t> places) const;
    void runBase(const JobControl &control);
    /// Hidden states after the stack → what the examples come to.
    std::vector<ExampleOutput> score(const RowModel &model, const Rows &hidden, const Together &what) const;

    const ScoringRunner &m_runner;
    std::vector<ScoredSequence> m_all;         ///< of all examples, one after the other
    std::vector<std::int64_t> m_firstSequence; ///< per example its first in m_all; one more at the end
    std::vector<std::int64_t> m_rows;          ///< per example
    Sequences m_sequences;
    StackStates m_states;
};

} // namespace headscope
