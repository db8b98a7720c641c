#pragma once

#include "core/task/classificationtask.h"
#include "core/task/packedblock.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Classification on a processor: attention of the layer where a variant begins comes from the base run, and the last
/// layer runs for the first position only.
class PackedClassificationBlock final : public PackedBlock
{
public:
    static std::shared_ptr<const PackedClassificationBlock> make(const ClassificationTask &task,
                                                                 std::vector<std::int64_t> ids, const HeadMask &base,
                                                                 const RunOptions &run, const JobControl &control);

private:
    PackedClassificationBlock(const ClassificationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                              const std::vector<Products> &quick, const RunOptions &run);
    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    bool showsLogits() const override { return true; }
    std::int64_t rowsOf(std::int64_t place) const override { return m_texts.length(place); }

    void runBase(const JobControl &control);
    void runBasePart(std::span<const std::int64_t> ids, std::vector<Rows> &hidden, std::vector<Rows> &context,
                     std::vector<ExampleOutput> &outputs, const JobControl &control);
    int lastLayer() const { return m_task.model().spec().encoder.layers() - 1; }
    /// From the contexts of layer `layer` (hidden and context of the first positions only if it is the last) to
    /// logits [N, K].
    torch::Tensor logitsFrom(const PackedModel &model, int layer, Rows hidden, Rows context, const Sequences &texts,
                             std::span<const Pair> pairs, const JobControl &control) const;
    /// By which the decision for an example holds.
    float marginOf(const ExampleOutput &output) const;

    const ClassificationTask &m_task;
    Sequences m_texts;
    Sequences m_firsts; ///< one row each
    /// In front of every layer [R, D], and the contexts of its heads under the base mask [R, A]; of the last layer the
    /// first positions [N, ·] only.
    std::vector<Rows> m_hidden;
    std::vector<Rows> m_context;
};

} // namespace headscope
