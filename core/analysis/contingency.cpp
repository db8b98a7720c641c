
#include "core/analysis/analysisinfo.h"
#include "core/analysis/contingencyspec.h"
#include "core/analysis/input.h"
#include "core/engine/engine.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/results/contingencyresult.h"
#include "core/results/results.h"
#include "core/task/task.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headscope {
namespace {

/// The sweep over all heads that are not masked.
std::shared_ptr<const SweptHeads> sweep(const ContingencySpec &spec, AnalysisInput &input, const JobControl &control)
{
    const Task &task = input.data().task;
    const auto resident = input.resident(spec.run);
    auto swept = std::make_shared<SweptHeads>(SweptHeads{.run = spec.run, .mask = spec.mask});
    EngineRequest request{
        .base = spec.mask, .variants = {}, .run = spec.run, .phase = kPhaseComparing, .resident = resident.get()};
    for (const HeadRef &head : task.layout().heads()) {
        if (spec.mask.isMasked(head))
            continue;
        swept->heads.push_back(head);
        request.variants.push_back({HeadMask{head}, Replacement::Zero});
    }
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        swept->visited = state.visited;
        swept->baseline = state.baseline;
        swept->variants = state.variants;
    });
    return swept;
}

/// `rows`: which example each row of the tables is.
HeadContingency contingency(const HeadRef &head, const StatisticsTable &whole, const StatisticsTable &without,
                            const std::vector<std::int64_t> &rows, bool examples)
{
    HeadContingency table{.head = head};
    for (std::size_t i = 0; i < whole.rows; ++i) {
        const bool before = whole.row(i)[0] > 0.5;
        const bool after = without.row(i)[0] > 0.5;
        ++(before ? after ? table.bothRight : table.lost : after ? table.gained : table.bothWrong);
        if (examples && before != after)
            (before ? table.lostExamples : table.gainedExamples).push_back(rows[i]);
    }
    std::ranges::sort(table.lostExamples);
    std::ranges::sort(table.gainedExamples);
    table.p = mcnemarP({table.lost, table.gained});
    return table;
}

} // namespace

ContingencyResult AnalysisOf<ContingencySpec>::compute(const ContingencySpec &spec, AnalysisInput &input,
                                                       Manifest manifest, const JobControl &control,
                                                       const Publish<ContingencyResult> &)
{
    const Task &task = input.data().task;
    task.requireReferences();
    const Metric &metric = *task.metrics()[task.primaryMetric(spec.run)];
    if (!metric.isRightOrWrong())
        throw Failure(usageError("McNemar's table needs examples that are right or wrong, which " + metric.name()
                                 + " does not define; choose a metric that does, such as accuracy of a "
                                   "classifier."));
    ContingencyResult result;
    result.manifest = std::move(manifest);
    result.metric = metric.name();
    auto swept = input.sweptHeads(spec.run, spec.mask);
    if (!swept)
        swept = sweep(spec, input, control);
    result.examples = static_cast<std::int64_t>(swept->baseline.rows);
    for (std::size_t i = 0; i < swept->baseline.rows; ++i)
        result.right += swept->baseline.row(i)[0] > 0.5 ? 1 : 0;
    for (std::size_t i = 0; i < swept->heads.size(); ++i) {
        control.checkpoint();
        result.heads.push_back(contingency(swept->heads[i], swept->baseline, swept->variants[i].table(swept->baseline),
                                           swept->visited, spec.examples));
    }
    const std::vector<double> p = pValuesOf(result.heads);
    const auto holm = holmAdjusted(p);
    const auto discovery = benjaminiHochbergAdjusted(p);
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        result.heads[i].pAdjusted = holm[i];
        result.heads[i].pDiscovery = discovery[i];
    }
    return result;
}

} // namespace headscope
