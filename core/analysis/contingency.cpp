
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
#include <vector>

namespace headscope {
namespace {

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
    std::vector<HeadRef> heads;
    const auto resident = input.resident(spec.run);
    EngineRequest request{
        .base = spec.mask, .variants = {}, .run = spec.run, .phase = kPhaseComparing, .resident = resident.get()};
    for (const HeadRef &head : task.layout().heads()) {
        if (spec.mask.isMasked(head))
            continue;
        heads.push_back(head);
        request.variants.push_back({HeadMask{head}, Replacement::Zero});
    }
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        result.examples = static_cast<std::int64_t>(state.baseline.rows);
        for (std::size_t i = 0; i < state.baseline.rows; ++i)
            result.right += state.baseline.row(i)[0] > 0.5 ? 1 : 0;
        for (std::size_t i = 0; i < heads.size(); ++i)
            result.heads.push_back(contingency(heads[i], state.baseline, state.variants[i].table(state.baseline),
                                               state.visited, spec.examples));
    });
    std::vector<double> p;
    for (const HeadContingency &head : result.heads)
        p.push_back(head.p);
    const auto holm = holmAdjusted(p);
    const auto discovery = benjaminiHochbergAdjusted(p);
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        result.heads[i].pAdjusted = holm[i];
        result.heads[i].pDiscovery = discovery[i];
    }
    return result;
}

} // namespace headscope
