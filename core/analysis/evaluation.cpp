#include "core/analysis/evaluation.h"

#include <algorithm>
#include <chrono>

namespace headscope {
namespace {

MetricValue metricValue(const Metric &metric, const StatisticsTable &table, std::int64_t resamples,
                        std::uint64_t seed)
{
    MetricValue value;
    value.name = metric.name();
    value.signature = metric.signature();
    value.value = metric.score(table.sums());
    if (resamples > 0)
        value.interval = bootstrapInterval(table, metric, resamples, seed);
    return value;
}

} // namespace

EvaluationResult evaluate(const Task &task, const EvaluationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                          const JobControl &control, const Publish<EvaluationResult> &publish)
{
    // Outputs with their scores can be had without references; then nothing is measured.
    const bool measure = !spec.scores || task.hasReferences();
    if (measure)
        task.requireReferences();
    const auto start = std::chrono::steady_clock::now();
    EvaluationResult result;
    result.manifest = std::move(manifest);
    result.mask = spec.mask;
    std::vector<StatisticsTable> tables;
    for (std::size_t m = 0; measure && m < task.metrics().size(); ++m)
        tables.emplace_back(0, task.metrics()[m]->statisticsSize());

    const bool scratch = spec.scores || spec.run.plain || !resident;
    const auto order = visitingOrder(task.size(), spec.run.seed);
    for (std::size_t b = 0; b < order.size(); ++b) {
        control.checkpoint();
        auto outputs = scratch ? task.plainOutputs(order[b], spec.mask, spec.run, spec.scores, control)
                               : resident->block(b, control)->outputs({spec.mask}, control);
        for (std::size_t m = 0; m < tables.size(); ++m) {
            StatisticsTable &table = tables[m];
            table.values.resize(table.values.size() + outputs.size() * table.columns);
            for (const ExampleOutput &output : outputs)
                task.statistics(m, output, table.row(table.rows++));
        }
        result.examples += std::ssize(outputs);
        if (spec.outputs)
            std::ranges::move(outputs, std::back_inserter(result.outputs));
        control.progress({"evaluating", "examples", result.examples, task.size()});

        const bool last = b + 1 == order.size();
        if (!last && !publish)
            continue;
        result.metrics.clear();
        for (std::size_t m = 0; m < tables.size(); ++m)
            result.metrics.push_back(metricValue(*task.metrics()[m], tables[m],
                                                 last ? spec.resamples : std::min<std::int64_t>(spec.resamples, 200),
                                                 spec.run.seed));
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (last)
            std::ranges::sort(result.outputs, {}, &ExampleOutput::index);
        else
            publish(result);
    }
    return result;
}

} // namespace headscope
