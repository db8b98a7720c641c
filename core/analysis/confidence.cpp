#include "core/analysis/confidence.h"

#include "core/analysis/attentionrows.h"
#include "core/analysis/throttle.h"
#include "core/engine/engine.h"
#include "core/model/transformer.h"

namespace headscope {
namespace {

void addBatch(const AttentionBatch &batch, HeadTable<RunningMean> &means)
{
    std::map<HeadKind, std::vector<AttentionTemplate>> templates;
    for (const HeadLayout::Block &block : means.layout().blocks()) {
        for (std::size_t row = 0; row < batch.size(); ++row)
            templates[block.kind].push_back(plainTemplate(attentionTokens(batch, block.kind, row)));
    }
    forEachHead(batch, means.layout(), AttentionMeasure::Weights,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &attention) {
                    means.at(head).add(confidenceOf(attention, templates.at(head.kind)[row], {}));
                });
}

void fill(const HeadTable<RunningMean> &means, ConfidenceResult &result)
{
    result.heads.clear();
    for (const HeadRef &head : means.layout().heads())
        result.heads.push_back({head, means.at(head).value(), means.at(head).count});
}

} // namespace

ConfidenceResult confidence(const Task &task, const RunOptions &run, Manifest manifest, const JobControl &control,
                            const Publish<ConfidenceResult> &publish)
{
    ConfidenceResult result;
    result.manifest = std::move(manifest);
    HeadTable<RunningMean> means(task.layout());
    Throttle throttle(std::chrono::milliseconds(200));
    for (const auto &block : visitingOrder(task, run)) {
        const auto batches = task.batches(block, run);
        std::vector<HeadTable<RunningMean>> parts(batches.size(), HeadTable<RunningMean>(task.layout()));
        task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
            control.checkpoint();
            const auto index = static_cast<std::size_t>(b);
            addBatch(task.attention(batches[index], {}), parts[index]);
        });
        for (const HeadTable<RunningMean> &part : parts) { // in a fixed order, so that sums repeat to the last bit
            for (const HeadRef &head : means.layout().heads())
                means.at(head).add(part.at(head));
        }
        result.examples += std::ssize(block);
        control.progress({"confidence", "examples", result.examples, task.size()});
        if (publish && throttle.isDue()) {
            fill(means, result);
            publish(result);
        }
    }
    fill(means, result);
    return result;
}

ConfidenceResult compute(const ConfidenceSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                         const Publish<ConfidenceResult> &publish)
{
    return confidence(input.data().task, spec.run, std::move(manifest), control, publish);
}

} // namespace headscope
