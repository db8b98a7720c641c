#include "core/analysis/evaluation.h"

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/rescaledheads.h"
#include "core/analysis/scoretests.h"
#include "core/analysis/unseentext.h"
#include "core/analysis/workload.h"
#include "core/base/phases.h"
#include "core/metrics/inference.h"
#include "core/metrics/pairedtests.h"
#include "core/model/transformer.h"
#include "core/results/results.h"
#include "core/tensor/freememory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

MetricValue metricValue(const Metric &metric, std::string signature, const StatisticsTable &table,
                        std::int64_t resamples, std::uint64_t seed)
{
    MetricValue value;
    value.name = metric.name();
    value.signature = std::move(signature);
    value.better = metric.better();
    value.value = metric.scoreOf(table);
    if (resamples > 0 && table.rows > 1) // one example allows no inference about others
        value.interval = bootstrapInterval(table, metric, resamples, seed);
    return value;
}

MaskComparison compareMasks(const Metric &metric, StatisticsTable other, const StatisticsTable &table,
                            const EvaluationSpec &spec, std::int64_t resamples)
{
    MaskComparison comparison;
    comparison.mask = *spec.against;
    comparison.mcnemar = mcnemarTest(metric, other, table);
    const PairedBootstrap bootstrap(std::move(other), metric, resamples, spec.run.seed);
    const PairedComparison paired = bootstrap.compare(table);
    comparison.score = bootstrap.baselineScore();
    comparison.delta = paired.delta;
    comparison.interval = paired.interval;
    comparison.p = paired.p;
    return comparison;
}

/// Examples in visiting order where no block is kept, so that blocks may keep growing. Without anybody who waits for
/// partial results they are large at once; else the first one takes a moment, by the work in it rather than by the
/// clock, so that examples are divided alike on all machines.
std::vector<std::vector<std::int64_t>> inLargerBlocks(const Task &task,
                                                      const std::vector<std::vector<std::int64_t>> &blocks,
                                                      bool waitedFor)
{
    constexpr std::int64_t kLargest = 512;
    constexpr std::int64_t kLargestFirst = 64;
    constexpr double kFirstWork = 2e10; // floating-point operations: 0.2 seconds of one core
    std::vector<std::int64_t> all;
    std::int64_t tokens = 0;
    for (const auto &block : blocks) {
        all.insert(all.end(), block.begin(), block.end());
        for (const std::int64_t id : block)
            tokens += task.examples().length(id);
    }
    if (!waitedFor || all.empty())
        return growingBlocks(all, kLargest, kLargest);
    const double ofToken
        = 2.0 * static_cast<double>(productWeights(task.model())); // an output is as long as its source
    const double examples = kFirstWork / ofToken * static_cast<double>(all.size())
                          / static_cast<double>(std::max<std::int64_t>(1, tokens));
    const auto first = static_cast<std::int64_t>(std::min<double>(kLargestFirst, examples));
    return growingBlocks(all, std::max<std::int64_t>(std::ssize(blocks.front()), first), kLargest);
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
    std::vector<std::size_t> metrics; // the primary one first
    if (measure) {
        metrics.resize(task.metrics().size());
        std::iota(metrics.begin(), metrics.end(), 0);
        const auto primary = metrics.begin() + static_cast<std::ptrdiff_t>(task.primaryMetric(spec.run));
        std::rotate(metrics.begin(), primary, primary + 1);
    }
    std::vector<StatisticsTable> tables(metrics.size());
    StatisticsTable other; // of the primary metric under the other mask
    std::int64_t changed = 0;
    const OutputLimit limit = task.limit(spec.run);
    result.longestOutput = limit.tokens;

    const bool scratch = spec.scores || spec.run.plain || !resident;
    auto order = visitingOrder(task, spec.run);
    if (scratch)
        order = inLargerBlocks(task, order, publish != nullptr);
    for (std::size_t b = 0; b < order.size(); ++b) {
        control.checkpoint();
        const auto outputsUnder = [&](const HeadMask &mask) {
            if (spec.rescale) {
                const HeadScales scales = rescaledHeads(mask, task.layout());
                return scratch ? task.plainOutputs(order[b], mask, spec.run, spec.scores, control, scales)
                               : resident->block(b, control)->outputs({mask, Replacement::Zero, 0, scales}, control);
            }
            return scratch ? task.outputs(order[b], mask, spec.run, spec.scores, control)
                           : resident->block(b, control)->outputs({mask}, control);
        };
        auto outputs = outputsUnder(spec.mask);
        for (std::size_t m = 0; m < metrics.size(); ++m)
            appendStatistics(task, metrics[m], outputs, tables[m]);
        if (measure && spec.against) {
            const auto others = outputsUnder(*spec.against);
            appendStatistics(task, metrics.front(), others, other);
            const std::size_t firstRow = other.rows - others.size();
            for (std::size_t i = 0; i < outputs.size(); ++i)
                changed
                    += task.isChanged(outputs[i], tables.front().row(firstRow + i), others[i], other.row(firstRow + i));
        }
        result.examples += std::ssize(outputs);
        if (limit.tokens > 0)
            result.reachedLimit += std::ranges::count_if(outputs, limit.isReached);
        if (spec.outputs)
            std::ranges::move(outputs, std::back_inserter(result.outputs));
        control.progress({kPhaseScore, "examples", result.examples, task.size()});

        const bool last = b + 1 == order.size();
        if (!last && !publish)
            continue;
        const std::int64_t resamples = scoreResamples(spec.resamples, task.layout(), last);
        result.metrics.clear();
        for (std::size_t m = 0; m < tables.size(); ++m) {
            const Metric &metric = *task.metrics()[metrics[m]];
            result.metrics.push_back(metricValue(metric, signatureOf(task, metric, spec.run, spec.rescale), tables[m],
                                                 resamples, spec.run.seed));
        }
        if (measure && spec.against && resamples > 0 && tables.front().rows > 1) {
            result.against = compareMasks(*task.metrics()[metrics.front()], other, tables.front(), spec, resamples);
            result.against->changed = changed;
        }
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (const ExampleGroups *groups = task.measure().groups(); last && groups && measure) {
            std::vector<std::int64_t> visited;
            for (const auto &block : order)
                visited.insert(visited.end(), block.begin(), block.end());
            result.groups = scoresByGroup(tables.front(), visited, *task.metrics()[metrics.front()], *groups,
                                          spec.resamples.value_or(kGroupResamples), spec.run.seed);
        }
        if (last)
            std::ranges::sort(result.outputs, {}, &ExampleOutput::index);
        else
            publish(result);
    }
    return result;
}

std::optional<std::int64_t> firstWithoutNumber(const Task &task, const RunOptions &run, const JobControl &control)
{
    constexpr std::int64_t kTogether = 8;
    const auto isNumber = [](const ExampleOutput &output) {
        return !std::isnan(output.score) && !std::isnan(output.otherScore)
            && std::ranges::none_of(output.logits, [](float logit) { return std::isnan(logit); });
    };
    for (std::int64_t first = 0; first < task.size(); first += kTogether) {
        control.checkpoint();
        std::vector<std::int64_t> ids(static_cast<std::size_t>(std::min(kTogether, task.size() - first)));
        std::iota(ids.begin(), ids.end(), first);
        auto outputs = task.plainOutputs(ids, HeadMask(), run, true, control);
        std::ranges::sort(outputs, {}, &ExampleOutput::index);
        if (const auto found = std::ranges::find_if_not(outputs, isNumber); found != outputs.end())
            return found->index;
    }
    return std::nullopt;
}

EvaluationResult AnalysisOf<EvaluationSpec>::compute(const EvaluationSpec &spec, AnalysisInput &input,
                                                     Manifest manifest, const JobControl &control,
                                                     const Publish<EvaluationResult> &publish)
{
    const auto resident = input.residentForScore(spec.run);
    const Task &task = input.data().task;
    const HeadUnits units(task.model().spec(), spec.by);
    EvaluationSpec whole = spec;
    whole.mask = units.whole(spec.mask);
    if (spec.against)
        whole.against = units.whole(*spec.against);
    EvaluationResult result = evaluate(task, whole, std::move(manifest), resident.get(), control, publish);
    if (!resident) // interactive work comes again at once
        returnFreeMemory();
    return result;
}

std::optional<std::string> remarkOnFew(std::int64_t examples)
{
    if (examples <= 0 || examples >= kFewExamples)
        return std::nullopt;
    std::string remark
        = fmt::format("{} example{}: intervals and p hang on few texts", examples, examples == 1 ? "" : "s");
    if (!allowsVerdict(examples))
        remark += fmt::format(", and nothing can be called significant (the smallest p that {} allow is {:.2g})",
                              examples, smallestSignP(examples));
    return remark;
}

std::vector<std::string> AnalysisOf<EvaluationSpec>::remarks(const EvaluationResult &result)
{
    std::vector<std::string> remarks;
    if (result.reachedLimit > 0)
        remarks.push_back(fmt::format("{} of {} outputs reached the limit of {} tokens and are cut there: --max-length",
                                      result.reachedLimit, result.examples, result.longestOutput));
    if (result.against && result.against->changed == 0)
        remarks.push_back(
            fmt::format("the other mask changes none of the {} outputs. By the rule of three it may still "
                        "change {} (95 %)",
                        result.examples, unseenText(result.examples, "outputs")));
    return remarks;
}

} // namespace headscope
