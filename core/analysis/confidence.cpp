#include "core/analysis/confidence.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/analysis/throttle.h"
#include "core/model/transformer.h"
#include "core/results/rolesresult.h"

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

void fill(const Means &means, const HeadUnits &units, ConfidenceResult &result)
{
    result.heads.clear();
    for (const HeadRef &first : units.firsts().heads()) {
        RunningMean mean = means.at(first);
        std::vector<HeadRef> others = units.othersOf(first);
        for (const HeadRef &other : others)
            mean.add(means.at(other));
        result.heads.push_back({first, mean.value(), mean.count, std::move(others)});
    }
}

} // namespace

ConfidenceResult confidence(const Task &task, const ConfidenceSpec &spec, Manifest manifest, const JobControl &control,
                            const Publish<ConfidenceResult> &publish, const KeptWork &kept)
{
    ConfidenceResult result;
    result.manifest = std::move(manifest);
    const HeadUnits units(task.model().spec(), spec.by);
    Means means(task.layout());
    Throttle throttle(std::chrono::milliseconds(200));
    const AttentionPass pass(task, {.run = spec.run}, kPhaseConfidence, control);
    KeptSums keptSums(kept);
    const std::int64_t before
        = keptSums.resume(means.values(), [&](std::int64_t examples) { return pass.says(examples); });
    result.examples = before;
    pass.run([&](const SeenBatch &batch) { return meansOf(batch.attention, task.layout()); },
             [&](const Means &part) {
                 for (const HeadRef &head : means.layout().heads())
                     means.at(head).add(part.at(head));
             },
             [&](std::int64_t examples) {
                 result.examples = examples;
                 keptSums.keep(means.values(), examples);
                 if (publish && throttle.isDue()) {
                     fill(means, units, result);
                     publish(result);
                 }
             },
             before);
    fill(means, units, result);
    return result;
}

ConfidenceResult AnalysisOf<ConfidenceSpec>::compute(const ConfidenceSpec &spec, AnalysisInput &input,
                                                     Manifest manifest, const JobControl &control,
                                                     const Publish<ConfidenceResult> &publish)
{
    const KeptWork kept = input.keptWork(manifest.key());
    return confidence(input.data().task, spec, std::move(manifest), control, publish, kept);
}

} // namespace headscope
