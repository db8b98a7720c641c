#pragma once

#include "core/base/headscales.h"
#include "core/base/jobcontrol.h"
#include "core/data/datasource.h"
#include "core/metrics/metric.h"
#include "core/model/gates.h"
#include "core/results/results.h"
#include "core/task/runoptions.h"

#include <torch/types.h>

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

struct Dataset;
struct Recorder;
class Tokenizer;
struct TokenBatch;
class Transformer;
struct TransformerSpec;

/// What a task found out about its data set.
struct DataFacts
{
    bool pairs = false;             ///< rows have two texts
    std::vector<LabelCount> labels; ///< in the order of the model's labels; empty for translation and regression
    std::vector<std::string> warnings;
};

class Task;

/// One way to switch heads off: those in `mask`, on top of a block's base mask.
struct Variant
{
    HeadMask mask;
    Replacement replacement = Replacement::Zero;
    std::int64_t draw = 0;  ///< resample: which of the plan's draws
    HeadScales scales{};    ///< factors of heads that are not in the mask
};

/// The heads that a variant treats otherwise than the base run.
std::vector<HeadRef> changedHeads(const Variant &variant, const HeadMask &base);

/// What the variants of a block will ask to have put in the place of heads.
struct ReplacementPlan
{
    Replacement kind = Replacement::Zero;
    const Task *reference = nullptr; ///< whose contexts they are; none: those of the evaluated set itself
    std::int64_t draws = 1;          ///< resample: random examples that stand in for each example, in turn

    ReplacementPlan() = default;
    ReplacementPlan(Replacement what) : kind(what) {} // NOLINT(google-explicit-constructor)
    ReplacementPlan(Replacement what, const Task *from, std::int64_t times) : kind(what), reference(from), draws(times) {}
    bool operator==(const ReplacementPlan &) const = default;
};

/// What goes through attention layers over a few examples under teacher forcing.
struct ContextBatch
{
    /// By place: "encoder.2.self.context" [B, H, T, Dh], before any gate; "….input" [B, T, D], what the sub-layer adds to.
    std::map<std::string, torch::Tensor> tensors;
    std::map<HeadKind, std::vector<std::int64_t>> lengths; ///< [B] valid positions
};

/// Examples made ready to be run under many variants: encoded and decoded once under the base mask, with the
/// states that variants can start from. Threads may share it.
class PreparedBlock
{
public:
    virtual ~PreparedBlock() = default;
    /// Outputs under the base mask, in the order of the ids the block was made from.
    virtual const std::vector<ExampleOutput> &baseline() const = 0;
    virtual std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const = 0;
    /// outputs() of many variants, in whatever order and grouping costs least. `done` gets a variant's place and outputs;
    /// several threads may call it at once. Returns how products were made.
    using OutputsOfVariant = std::function<void(std::size_t variant, const std::vector<ExampleOutput> &outputs)>;
    virtual ProductProof outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                      const JobControl &control) const;
    /// Bytes of the states it keeps.
    virtual std::int64_t memory() const = 0;
};

/// Loss of a few examples under gates, for gradients.
struct LossBatch
{
    torch::Tensor loss;               ///< [B], nats; translation: summed over the example's target tokens
    std::int64_t targetTokens = 0;    ///< of all examples; classification: examples with a label
};

/// Shape of the gates [B, H, T] of one kind of attention in a loss batch, and which positions count.
struct GateShape
{
    std::int64_t rows = 0;
    std::int64_t positions = 0;
    std::vector<std::int64_t> lengths; ///< [B] valid positions
};

/// What is wanted of attention.
struct AttentionRequest
{
    HeadMask mask{};
    bool valueNorms = false;
    /// What the decoder is made to say, with end token; null: the references.
    const std::vector<std::vector<std::int64_t>> *targets = nullptr;
};

/// Attention probabilities of a few examples under teacher forcing.
struct AttentionBatch
{
    struct Kind
    {
        std::vector<torch::Tensor> probabilities; ///< per layer [B, H, T, S]; before any gate
        std::vector<torch::Tensor> valueNorms;    ///< if asked for: per layer [B, H, S], of what a key's weight is multiplied by
        torch::Tensor realQueries;                ///< [B, T] bool: valid and not special
        torch::Tensor realKeys;                   ///< [B, S] bool
    };
    std::map<HeadKind, Kind> kinds;
    std::vector<std::vector<std::int64_t>> sources; ///< per example the encoder's tokens
    std::vector<std::vector<std::int64_t>> targets; ///< and what the decoder says, with end token: it reads them one later
};

/// A data set, how the model runs over it, and how that is measured: everything an analysis needs to know of
/// translation or classification. Immutable; threads may share it.
class Task
{
public:
    virtual ~Task() = default;

    virtual std::int64_t size() const = 0;
    virtual const HeadLayout &layout() const = 0;
    /// The task's own first choice first.
    virtual const std::vector<const Metric *> &metrics() const = 0;
    /// Place in metrics() of the one by which analyses judge. Throws Failure (usage) for a name that is not among them,
    /// or a metric that cannot judge: paired tests need sums, and deltas that more is better.
    std::size_t primaryMetric(const RunOptions &run) const;
    /// Sufficient statistics of one output: out.size() == metrics()[metric]->statisticsSize().
    virtual void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const = 0;
    /// True if the model says the same: the same text, the same labels.
    virtual bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const = 0;
    virtual bool hasReferences() const = 0;
    /// Throws Failure when the data set has no references.
    virtual void requireReferences() const = 0;
    virtual DataFacts facts() const = 0;

    /// `plan` says what variants will ask of the block.
    virtual std::shared_ptr<const PreparedBlock> prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                         const ReplacementPlan &plan, const RunOptions &run,
                                                         const JobControl &control) const
        = 0;
    /// Outputs from scratch, one batch after the other, without any shared state: what every fast path must equal.
    virtual std::vector<ExampleOutput> plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                                    const RunOptions &run, bool withScores,
                                                    const JobControl &control, const HeadScales &scales = {}) const
        = 0;

    /// What a prepared block keeps of an example, on average.
    virtual std::int64_t bytesPerExample(const RunOptions &run) const = 0;

    /// Ids in batches of similar length, at most batchTokens tokens each.
    virtual std::vector<std::vector<std::int64_t>> batches(std::vector<std::int64_t> ids,
                                                           std::int64_t batchTokens) const = 0;
    virtual std::map<HeadKind, GateShape> gateShapes(const std::vector<std::int64_t> &ids) const = 0;
    /// Gradients flow into the gates.
    virtual LossBatch loss(const std::vector<std::int64_t> &ids, const HeadGates &gates) const = 0;
    /// Throws Failure where the decoder has nothing to be made to say.
    virtual AttentionBatch attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const = 0;
    virtual torch::TensorOptions tensorOptions() const = 0;
    virtual const Transformer &model() const = 0;
    /// What the encoder reads for these examples, in this order.
    virtual TokenBatch inputs(const std::vector<std::int64_t> &ids) const = 0;
    /// What the decoder reads when it is made to say the references of these examples. Throws Failure where there are none.
    virtual TokenBatch decoderInputs(const std::vector<std::int64_t> &ids) const;
    /// Contexts, and with `inputs` what sub-layers add to, under gates. Throws Failure where the decoder has nothing to be
    /// made to say.
    virtual ContextBatch contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const = 0;
    /// Mean context of every head over the valid positions of the whole set, special tokens too, by the place
    /// "encoder.2.self.context": [H, Dh]. Computed once.
    const std::map<std::string, torch::Tensor> &meanContexts(const JobControl &control) const;

protected:
    /// Runs the examples in batches side by side; outputs in the order of `ids`. `runBatch` gives a batch's outputs.
    std::vector<ExampleOutput>
    outputsByBatch(const std::vector<std::int64_t> &ids, const RunOptions &run, const JobControl &control,
                   const std::function<std::vector<ExampleOutput>(const std::vector<std::int64_t> &batch)> &runBatch) const;
    /// What was recorded of one kind of attention, per layer; undefined where a layer has no heads.
    AttentionBatch::Kind recordedAttention(const Recorder &recorder, const HeadLayout::Block &block) const;

private:
    mutable std::mutex m_meanMutex;
    mutable std::map<std::string, torch::Tensor> m_meanContexts;
};

/// Names of the metrics that heads of the model can be judged by, the task's first choice first.
std::vector<std::string> judgingMetrics(const TransformerSpec &spec);

/// The task that the model was made for. `tokenizer` may be null when every example brings its ids. Errors: a data set that
/// the model cannot take (no ids, ids outside the vocabulary, labels that it does not know).
Result<std::shared_ptr<const Task>> makeTask(std::shared_ptr<const Transformer> model,
                                             std::shared_ptr<const Tokenizer> tokenizer, const Dataset &dataset,
                                             const JobControl &control);

} // namespace headscope
