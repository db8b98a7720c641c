#pragma once

#include "core/task/runner.h"
#include "core/task/task.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace headscope {

/// Loss of each of the examples `ids` by logits [B, K]: cross-entropy, of several labels the mean binary one, of a
/// number the squared error. Labels that mean the same class add up.
LossBatch labelLoss(const LabelReading &labels, ProblemType problem, const std::vector<std::int64_t> &ids,
                    const torch::Tensor &logits);

/// Labels of texts by an encoder's first position, or a decoder's last.
class ClassificationRunner final : public Runner
{
public:
    explicit ClassificationRunner(std::shared_ptr<const LabelReading> labels) : m_labels(std::move(labels)) { }

    std::vector<ExampleOutput> runBatch(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                        const RunOptions &run, bool withScores,
                                        const JobControl &control) const override;
    std::shared_ptr<const PreparedBlock> prepare(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                 const JobControl &control) const override;
    LossBatch loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                   Recorder *recorder) const override;

    /// logits [B, K] → outputs of the examples `ids`.
    std::vector<ExampleOutput> makeOutputs(const ClassifierSpec &classifier, const std::vector<std::int64_t> &ids,
                                           const torch::Tensor &logits) const;

private:
    std::shared_ptr<const LabelReading> m_labels;
};

} // namespace headscope
