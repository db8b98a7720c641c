#pragma once

#include "core/data/datasource.h"
#include "core/model/gates.h"
#include "core/task/examples.h"
#include "core/task/measure.h"
#include "core/task/rowmodels.h"
#include "core/task/runner.h"
#include "core/task/variant.h"
#include "core/tensor/execution.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A task's summary of its data set.
struct DataFacts
{
    bool pairs = false;             ///< some rows have two texts
    std::vector<LabelCount> labels; ///< in the order of the model's labels; empty for translation and regression
    std::vector<std::string> warnings;
};

/// Contexts and inputs of attention layers over a few examples under teacher forcing.
struct ContextBatch
{
    /// By place: "encoder.2.self.context" [B, H, T, Dh], before any gate; "….input" [B, T, D], what the sub-layer adds
    /// to.
    std::map<std::string, torch::Tensor> tensors;
    std::map<HeadKind, std::vector<std::int64_t>> lengths; ///< [B] valid positions
};

/// Shape of the gates [B, H, T] of one kind of attention in a loss batch, and which positions count.
struct GateShape
{
    std::int64_t rows = 0;
    std::int64_t positions = 0;
    std::vector<std::int64_t> lengths; ///< [B] valid positions
};

/// Options for attention.
struct AttentionRequest
{
    HeadMask mask{};
    bool valueNorms = false;
    /// The tokens that the decoder is forced to, with end token; null: the references.
    const std::vector<std::vector<std::int64_t>> *targets = nullptr;
};

/// Attention probabilities of a few examples under teacher forcing.
struct AttentionBatch
{
    struct Kind
    {
        std::vector<torch::Tensor> probabilities; ///< per layer [B, H, T, S]; before any gate
        std::vector<torch::Tensor>
            valueNorms;            ///< if asked for: per layer [B, H, S], of what a key's weight is multiplied by
        torch::Tensor realQueries; ///< [B, T] bool: valid and not special
        torch::Tensor realKeys;    ///< [B, S] bool
    };
    std::map<HeadKind, Kind> kinds;
    std::vector<std::vector<std::int64_t>> sources;  ///< per example the encoder's tokens
    std::vector<std::vector<std::int64_t>> prefixes; ///< what the decoder reads
    std::vector<std::vector<std::int64_t>> targets;  ///< and what it says: it reads them one later

    std::size_t size() const { return std::max(sources.size(), prefixes.size()); }
    /// The tokens of the examples' own text: the encoder's tokens, or those of a model without one.
    const std::vector<std::int64_t> &textOf(std::size_t row) const
    {
        return sources.empty() ? prefixes[row] : sources[row];
    }
};

/// The attention of one pass behind a loss.
struct LossAttention
{
    torch::Tensor loss; ///< [], nats
    std::int64_t targetTokens = 0;
    std::vector<std::int64_t> owners; ///< [B], the example that each row is of
    AttentionBatch attention;         ///< without targets
    struct Kind
    {
        std::vector<torch::Tensor> contexts; ///< per layer [B, H, T, Dh], before any gate; undefined: no heads
        std::vector<torch::Tensor> values;   ///< per layer [B, H, S, Dh]
    };
    std::map<HeadKind, Kind> kinds;
};

/// A task, beside its model.
struct TaskParts
{
    Examples examples;
    std::unique_ptr<Runner> runner;
    std::unique_ptr<Measure> measure;
};

/// A copy of a task's model on another device.
struct ModelCopy
{
    std::shared_ptr<const Transformer> model;
    Execution execution;
};

/// A model and a data set as analyses see them: examples, how outputs are computed (runner) and measured (measure), and
/// on which part of the machine (execution). Analyses query its capabilities, never which task it is. Immutable;
/// threads may share it.
class Task
{
public:
    /// `name`: "translation", "classification", … `copies`: the examples of a block, and of outputs from scratch, are
    /// divided among the model and these.
    Task(std::string name, std::shared_ptr<const Transformer> model, TaskParts parts, Execution execution,
         std::vector<ModelCopy> copies = {});

    const std::string &name() const { return m_name; }
    const Transformer &model() const { return *m_model; }
    const Examples &examples() const { return *m_examples; }
    const Measure &measure() const { return *m_measure; }
    const Execution &execution() const { return m_execution; }
    const RowModels &rowModels() const { return m_rowModels; }
    std::int64_t size() const { return m_examples->size(); }
    const HeadLayout &layout() const { return m_model->layout(); }
    torch::TensorOptions tensorOptions() const { return m_model->options(); }
    DataFacts facts() const;

    // Abilities.
    bool hasReferences() const { return m_measure->hasReferences(); }
    /// Throws Failure when the data set has no references.
    void requireReferences() const;
    bool generates() const { return m_runner->generates(); } ///< outputs are texts of the model's own
    OutputLimit limit(const RunOptions &run) const { return m_runner->limit(*this, run); }
    /// The most that a decoder reads while it generates; 0: it does not.
    std::int64_t mostDecoderPositions(const RunOptions &run) const;
    /// The metric's, and of generated outputs the most tokens that they may have.
    std::string signature(const Metric &metric, const RunOptions &run) const;
    /// How BLEU cuts texts into words; "13a" where there is no BLEU.
    std::string bleuTokenizer() const;
    bool hasDecoder() const { return m_model->spec().decoder.has_value(); }
    /// The attention that reads the examples' own text: the encoder's, or that of a model without one.
    HeadKind textKind() const { return m_model->spec().encoder ? HeadKind::Encoder : HeadKind::Decoder; }

    // Measuring.
    const std::vector<const Metric *> &metrics() const { return m_measure->metrics(); }
    /// Place in metrics() of the one by which analyses judge. Throws Failure (usage) for a name that is not among them,
    /// or a metric that cannot judge: paired tests need sums.
    std::size_t primaryMetric(const RunOptions &run) const;
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const
    {
        m_measure->statistics(metric, output, out);
    }
    /// True if the model says something else of an example, or the metric measures something else of it: `ofA` and
    /// `ofB` are the metric's statistics. No number equals no number.
    bool isChanged(const ExampleOutput &a, std::span<const double> ofA, const ExampleOutput &b,
                   std::span<const double> ofB) const;

    // Running.
    /// `plan`: the replacements that the variants will need. Never null.
    std::shared_ptr<const PreparedBlock> prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                 const JobControl &control) const;
    /// Outputs from scratch, on the fast path where there is one.
    std::vector<ExampleOutput> outputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                       const RunOptions &run, bool withScores, const JobControl &control) const;
    /// Outputs by one padded batch after the other, without shared state: the reference that every fast path must
    /// equal.
    std::vector<ExampleOutput> plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                            const RunOptions &run, bool withScores, const JobControl &control,
                                            const HeadScales &scales = {}) const;
    /// Outputs with gates chosen for each batch.
    using GatesOfBatch = std::function<HeadGates(const std::vector<std::int64_t> &ids)>;
    std::vector<ExampleOutput> plainOutputs(const std::vector<std::int64_t> &ids, const GatesOfBatch &gatesOf,
                                            const RunOptions &run, bool withScores, const JobControl &control) const;
    LossBatch loss(const std::vector<std::int64_t> &ids, const HeadGates &gates) const
    {
        return m_runner->loss(*this, ids, gates, nullptr);
    }
    /// The attention behind the loss, pass by pass (Runner::lossPasses); in grad mode gradients flow into it, masked
    /// heads too, and into contexts.
    using VisitLossAttention = std::function<void(const LossAttention &)>;
    void lossAttention(const std::vector<std::int64_t> &ids, const HeadMask &mask, std::int64_t mostTokens,
                       const VisitLossAttention &visit) const;
    /// The bytes that a prepared block keeps of an example, on average.
    std::int64_t bytesPerExample(const RunOptions &run) const;

    // Internal states, with the decoder forced to the references.
    /// Tokens of a padded batch, and bytes that kept states may take: as the options say, else what suits the machine.
    std::int64_t batchTokens(const RunOptions &run) const
    {
        return run.batchTokens > 0 ? run.batchTokens : m_execution.workSizes().batchTokens;
    }
    std::int64_t memory(const RunOptions &run) const { return run.memory > 0 ? run.memory : m_execution.memory(); }
    /// Ids in batches of similar length, at most batchTokens tokens each.
    std::vector<std::vector<std::int64_t>> batches(std::vector<std::int64_t> ids, std::int64_t batchTokens) const;
    std::vector<std::vector<std::int64_t>> batches(std::vector<std::int64_t> ids, const RunOptions &run) const
    {
        return batches(std::move(ids), batchTokens(run));
    }
    std::map<HeadKind, GateShape> gateShapes(const std::vector<std::int64_t> &ids) const;
    /// Throws Failure if there is no text to force the decoder to.
    AttentionBatch attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const;
    /// The tokens that the encoder reads for these examples, in this order.
    TokenBatch inputs(const std::vector<std::int64_t> &ids) const { return m_examples->sourceBatch(ids, *m_model); }
    /// The tokens that the model's first stack reads.
    TokenBatch readFirst(const std::vector<std::int64_t> &ids) const
    {
        return m_model->spec().encoder ? inputs(ids) : decoderInputs(ids);
    }
    /// The decoder's input when it is forced to the references. Throws Failure if there are none.
    TokenBatch decoderInputs(const std::vector<std::int64_t> &ids) const;
    /// The same where it is forced to say these tokens instead, behind the example's prompt if it has one.
    std::vector<std::int64_t> decoderReads(std::int64_t id, const std::vector<std::int64_t> &said) const;
    /// Contexts, and with `inputs` what sub-layers add to, under gates. Throws Failure if there is no text to force the
    /// decoder to.
    ContextBatch contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const;
    /// Mean context of every head over the valid positions of the whole set, special tokens too, by the place
    /// "encoder.2.self.context": [H, Dh]. Computed once.
    const std::map<std::string, torch::Tensor> &meanContexts(const JobControl &control) const;

private:
    /// A task on the data of `first` with a copy of the model on another device.
    Task(const Task &first, ModelCopy copy);
    /// prepare() and outputs() on this device.
    std::shared_ptr<const PreparedBlock> prepareHere(std::vector<std::int64_t> ids, const HeadMask &base,
                                                     const ReplacementPlan &plan, const RunOptions &run,
                                                     const JobControl &control) const;
    std::vector<ExampleOutput> outputsHere(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                           const RunOptions &run, bool withScores, const JobControl &control) const;
    const Task &on(std::size_t device) const { return device == 0 ? *this : *m_elsewhere[device - 1]; }
    void requireTargets() const;
    /// Encoder and decoder with a listener; the decoder reads `prefixes`.
    std::map<HeadKind, std::vector<std::int64_t>> record(const std::vector<std::int64_t> &ids,
                                                         const TokenBatch &prefixes, const HeadGates &gates,
                                                         Recorder &recorder) const;
    torch::Tensor realTokens(const TokenBatch &batch) const;
    torch::Tensor realSources(const std::vector<std::int64_t> &ids) const;
    AttentionBatch::Kind recordedAttention(const Recorder &recorder, const HeadLayout::Block &block) const;

    std::string m_name;
    std::shared_ptr<const Transformer> m_model;
    std::shared_ptr<const Examples> m_examples;
    std::shared_ptr<const Runner> m_runner;
    std::shared_ptr<const Measure> m_measure;
    Execution m_execution;
    RowModels m_rowModels;
    std::vector<std::unique_ptr<const Task>> m_elsewhere; ///< on other devices
    mutable std::mutex m_meanMutex;
    mutable std::map<std::string, torch::Tensor> m_meanContexts;
};

} // namespace headscope
