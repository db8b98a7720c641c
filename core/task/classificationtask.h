#pragma once

#include "core/metrics/outcome.h"
#include "core/packed/packedmodel.h"
#include "core/task/classificationexamples.h"
#include "core/task/replacements.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Classification of texts or text pairs by an encoder's first position, measured as its problem asks (outcome.h).
class ClassificationTask final : public Task
{
public:
    /// `tokenizer` may be null when every example brings its ids. Texts longer than the model's positions are cut, with
    /// a note in facts(). Precondition: model->spec().classifier.
    static Result<std::shared_ptr<const ClassificationTask>> make(std::shared_ptr<const Transformer> model,
                                                                  std::shared_ptr<const Tokenizer> tokenizer,
                                                                  const Dataset &dataset, const JobControl &control);

    std::int64_t size() const override { return m_examples.size(); }
    const HeadLayout &layout() const override { return m_model->layout(); }
    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override;
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override;
    bool hasReferences() const override { return m_examples.labels.known; }
    void requireReferences() const override;
    DataFacts facts() const override;
    std::shared_ptr<const PreparedBlock> prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                 const JobControl &control) const override;
    std::vector<ExampleOutput> plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                            const RunOptions &run, bool withScores, const JobControl &control,
                                            const HeadScales &scales = {}) const override;
    std::vector<std::vector<std::int64_t>> batches(std::vector<std::int64_t> ids,
                                                   std::int64_t batchTokens) const override;
    std::int64_t bytesPerExample(const RunOptions &run) const override;
    std::map<HeadKind, GateShape> gateShapes(const std::vector<std::int64_t> &ids) const override;
    LossBatch loss(const std::vector<std::int64_t> &ids, const HeadGates &gates) const override;
    AttentionBatch attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const override;
    torch::TensorOptions tensorOptions() const override { return m_model->options(); }

    const Transformer &model() const override { return *m_model; }
    ContextBatch contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const override;
    const PackedModels &packed() const { return *m_packed; }
    /// False for a metric that looks at logits.
    bool isDecidedByPredictions(std::size_t metric) const { return m_outcomeMetrics[metric]->isDecidedByPredictions(); }
    TokenBatch batch(const std::vector<std::int64_t> &ids) const { return m_examples.batch(ids, *m_model); }
    TokenBatch inputs(const std::vector<std::int64_t> &ids) const override { return batch(ids); }
    std::int64_t length(std::int64_t id) const { return m_examples.length(id); }
    /// logits [B, K] → outputs of the examples `ids`.
    std::vector<ExampleOutput> makeOutputs(const std::vector<std::int64_t> &ids, const torch::Tensor &logits) const;

private:
    ClassificationTask() = default;
    Outcome outcome(const ExampleOutput &output) const;

    std::shared_ptr<const Transformer> m_model;
    std::unique_ptr<PackedModels> m_packed;
    ClassificationExamples m_examples;
    std::vector<int> m_classOfLabel; ///< [K]; −1: a label that means none of the data's classes
    std::vector<std::unique_ptr<OutcomeMetric>> m_outcomeMetrics;
    std::vector<const Metric *> m_metrics; ///< the same
};

} // namespace headscope
