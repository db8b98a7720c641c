#pragma once

#include "core/data/dataset.h"
#include "core/model/generate.h"
#include "core/packed/packedmodel.h"
#include "core/task/replacements.h"
#include "core/task/translationexamples.h"
#include "core/tokenize/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// The model's own settings with what `decoding` sets; never longer than the model's positions.
GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding);

/// Translation measured by BLEU and chrF2: sources and references as ids, decoding by greedy or beam search.
class TranslationTask final : public Task
{
public:
    /// `tokenizer` may be null when every example brings its ids; texts are then the ids as words.
    /// Sources longer than the model's positions are cut, with a note in warnings().
    static Result<std::shared_ptr<const TranslationTask>> make(std::shared_ptr<const Transformer> model,
                                                               std::shared_ptr<const Tokenizer> tokenizer,
                                                               const Dataset &dataset, const JobControl &control);

    std::int64_t size() const override { return m_examples.size(); }
    const HeadLayout &layout() const override { return m_model->layout(); }
    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override;
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override { return a.tokens == b.tokens; }
    bool hasReferences() const override { return m_examples.hasTargets; }
    void requireReferences() const override;
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
    DataFacts facts() const override { return {false, {}, m_examples.warnings}; }

    const Transformer &model() const override { return *m_model; }
    ContextBatch contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const override;
    const PackedModels &packed() const { return *m_packed; }
    GenerationSettings settings(const Decoding &decoding) const;
    const std::vector<std::int64_t> &source(std::int64_t id) const { return m_examples.source(id); }
    TokenBatch sourceBatch(const std::vector<std::int64_t> &ids) const;
    TokenBatch inputs(const std::vector<std::int64_t> &ids) const override { return sourceBatch(ids); }
    TokenBatch decoderInputs(const std::vector<std::int64_t> &ids) const override;
    ExampleOutput makeOutput(std::int64_t id, Generated generated) const;

private:
    TranslationTask() = default;
    /// Runs encoder and decoder over references (teacher forcing) with a listener; gives the padded inputs.
    std::pair<TokenBatch, TokenBatch> record(const std::vector<std::int64_t> &ids,
                                             const std::vector<std::vector<std::int64_t>> &targets, const HeadGates &gates,
                                             Recorder &recorder) const;

    std::shared_ptr<const Transformer> m_model;
    std::unique_ptr<PackedModels> m_packed;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    TranslationExamples m_examples;
    std::vector<std::unique_ptr<TextMetric>> m_textMetrics;
    std::vector<const Metric *> m_metrics; ///< the same
    std::vector<std::vector<std::unique_ptr<PreparedReference>>> m_references; ///< per metric, per example
};

} // namespace headscope
