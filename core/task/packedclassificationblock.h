#pragma once

#include "core/task/classificationrunner.h"
#include "core/task/packedblock.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Classification: attention of the layer where a variant begins comes from the base run, and the last layer runs for
/// the position that is classified only: an encoder's first, a decoder's last.
class PackedClassificationBlock final : public PackedBlock
{
public:
    static std::shared_ptr<const PackedClassificationBlock> make(const Task &task, const ClassificationRunner &runner,
                                                                 std::vector<std::int64_t> ids, const HeadMask &base,
                                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                                 const JobControl &control);

private:
    PackedClassificationBlock(const Task &task, const ClassificationRunner &runner, std::vector<std::int64_t> ids,
                              const HeadMask &base, const ReplacementPlan &plan, const std::vector<Products> &quick,
                              const RunOptions &run);
    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    bool showsLogits() const override { return true; }
    std::int64_t rowsOf(std::int64_t place) const override { return m_texts.length(place); }

    void runBase(const JobControl &control);
    void measureExactError(std::span<const ExampleOutput> outputs, const JobControl &control);
    void runBasePart(std::span<const std::int64_t> ids, StackStates &states, std::vector<ExampleOutput> &outputs,
                     const JobControl &control);
    /// Hidden states of the positions that are classified [N, D], or of all positions of the `texts` where the mean is
    /// → logits [N, K].
    torch::Tensor classify(const Rows &read, const Sequences &texts) const;
    Side side() const { return spec().lastSide(); }
    /// By which the decision for an example holds.
    float marginOf(const ExampleOutput &output) const;

    const ClassificationRunner &m_runner;
    int m_lastAttention = 0; ///< whose positions are cut to those that are classified; -1: none
    Sequences m_texts;
    Sequences m_single;   ///< one row each
    StackStates m_states; ///< of the last attention the positions that are classified only
};

} // namespace headscope
