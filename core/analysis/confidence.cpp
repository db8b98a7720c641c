#include "core/analysis/confidence.h"

#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/throttle.h"
#include "core/model/transformer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headscope {
namespace {

using Means = HeadTable<RunningMean>;

Means meansOf(const AttentionBatch &batch, const HeadLayout &layout)
{
    Means means(layout);
    std::map<HeadKind, std::vector<AttentionTemplate>> templates;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (std::size_t row = 0; row < batch.size(); ++row)
            templates[block.kind].push_back(plainTemplate(attentionTokens(batch, block.kind, row)));
    }
    forEachHead(batch, layout, AttentionMeasure::Weights,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &attention) {
                    means.at(head).add(confidenceOf(attention, templates.at(head.kind)[row], {}));
                });
    return means;
}

void fill(const Means &means, ConfidenceResult &result)
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
    Means means(task.layout());
    Throttle throttle(std::chrono::milliseconds(200));
    AttentionPass(task, {.run = run}, "confidence", control)
        .run([&](const SeenBatch &batch) { return meansOf(batch.attention, task.layout()); },
             [&](const Means &part) {
                 for (const HeadRef &head : means.layout().heads())
                     means.at(head).add(part.at(head));
             },
             [&](std::int64_t examples) {
                 result.examples = examples;
                 if (publish && throttle.isDue()) {
                     fill(means, result);
                     publish(result);
                 }
             });
    fill(means, result);
    return result;
}

ConfidenceResult compute(const ConfidenceSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                         const Publish<ConfidenceResult> &publish)
{
    return confidence(input.data().task, spec.run, std::move(manifest), control, publish);
}

} // namespace headscope
