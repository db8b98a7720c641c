#include "core/task/task.h"

#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "core/task/batching.h"
#include "core/task/classificationtask.h"
#include "core/task/replacements.h"
#include "core/task/translationtask.h"
#include "core/tensor/parallel.h"

#include <torch/torch.h>

namespace headscope {

std::vector<HeadRef> changedHeads(const Variant &variant, const HeadMask &base)
{
    std::vector<HeadRef> heads;
    for (const HeadRef &head : variant.mask) {
        if (!base.isMasked(head))
            heads.push_back(head);
    }
    for (const auto &[head, scale] : variant.scales) {
        if (scale != 1 && !base.isMasked(head) && !variant.mask.isMasked(head))
            heads.push_back(head);
    }
    return heads;
}

ProductProof PreparedBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                         const JobControl &control) const
{
    parallelFor(std::ssize(variants), [&](std::int64_t v) {
        const auto variant = static_cast<std::size_t>(v);
        done(variant, outputs(variants[variant], control));
    });
    return {};
}

namespace {

/// Paired tests need sums. Which scores are better does not matter: every analysis asks gain().
bool canJudge(const Metric &metric)
{
    return metric.isFunctionOfSums();
}

} // namespace

std::vector<std::string> judgingMetrics(const TransformerSpec &spec)
{
    if (!spec.classifier)
        return {BleuMetric().name(), ChrfMetric().name()};
    std::vector<std::string> names;
    for (const auto &metric : outcomeMetrics(spec.classifier->problem, spec.classifier->labels)) {
        if (canJudge(*metric))
            names.push_back(metric->name());
    }
    return names;
}

std::vector<ExampleOutput>
Task::outputsByBatch(const std::vector<std::int64_t> &ids, const RunOptions &run, const JobControl &control,
                     const std::function<std::vector<ExampleOutput>(const std::vector<std::int64_t> &batch)> &runBatch) const
{
    std::map<std::int64_t, std::size_t> placeOf;
    for (std::size_t i = 0; i < ids.size(); ++i)
        placeOf[ids[i]] = i;
    std::vector<ExampleOutput> outputs(ids.size());
    const auto batches = this->batches(ids, run.batchTokens);
    parallelFor(std::ssize(batches), [&](std::int64_t b) {
        control.checkpoint();
        for (ExampleOutput &output : runBatch(batches[static_cast<std::size_t>(b)]))
            outputs[placeOf.at(output.index)] = std::move(output);
    });
    return outputs;
}

const Contexts &Task::meanContexts(const JobControl &control) const
{
    const std::scoped_lock lock(m_meanMutex);
    if (!m_meanContexts.empty())
        return m_meanContexts;
    const torch::NoGradGuard noGrad;
    ContextMeans means(layout());
    for (const auto &ids : batches(allIds(size()), 4096)) {
        control.checkpoint();
        means.add(contexts(ids, {}, false));
    }
    m_meanContexts = means.means(tensorOptions());
    return m_meanContexts;
}

AttentionBatch::Kind Task::recordedAttention(const Recorder &recorder, const HeadLayout::Block &block) const
{
    AttentionBatch::Kind kind;
    for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
        const auto found = recorder.tensors.find(Recorder::place(block.kind, layer, "probabilities"));
        const bool has = found != recorder.tensors.end();
        kind.probabilities.push_back(has ? found->second : torch::Tensor());
        if (recorder.values)
            kind.valueNorms.push_back(has ? model().valueNorms(block.kind, layer, recorder.at(block.kind, layer, "value"))
                                          : torch::Tensor());
    }
    return kind;
}

TokenBatch Task::decoderInputs(const std::vector<std::int64_t> &) const
{
    throw Failure(usageError("This model has no decoder that could be made to say anything."));
}

std::size_t Task::primaryMetric(const RunOptions &run) const
{
    std::string known;
    for (std::size_t i = 0; i < metrics().size(); ++i) {
        const Metric &metric = *metrics()[i];
        if (run.metric.empty() || metric.name() == run.metric) {
            if (canJudge(metric))
                return i;
            throw Failure(usageError("Heads cannot be judged by " + run.metric + ". Choose another metric."));
        }
        if (canJudge(metric))
            known += (known.empty() ? "" : ", ") + metric.name();
    }
    throw Failure(usageError("Unknown metric " + run.metric + ". This model and data set have: " + known + "."));
}

Result<std::shared_ptr<const Task>> makeTask(std::shared_ptr<const Transformer> model,
                                             std::shared_ptr<const Tokenizer> tokenizer, const Dataset &dataset,
                                             const JobControl &control)
{
    const auto generalized = [](auto made) -> Result<std::shared_ptr<const Task>> {
        if (!made.isOk())
            return made.error();
        return std::shared_ptr<const Task>(std::move(made).value());
    };
    if (model->spec().classifier)
        return generalized(ClassificationTask::make(std::move(model), std::move(tokenizer), dataset, control));
    return generalized(TranslationTask::make(std::move(model), std::move(tokenizer), dataset, control));
}

} // namespace headscope
