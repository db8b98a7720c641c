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

/// With the rows that their texts have in the files.
void keepOutputs(std::vector<ExampleOutput> outputs, const Examples &examples, EvaluationResult &result)
{
    result.leftOut = examples.leftOut;
    for (ExampleOutput &output : outputs) {
        if (!examples.textRows.empty())
            output.textRow = examples.textRows[static_cast<std::size_t>(output.index)];
        result.outputs.push_back(std::move(output));
    }
}
/// A score under one mask, block by block.
class Evaluation
{
public:
    Evaluation(const Task &task, const EvaluationSpec &spec, Manifest manifest, ResidentBlocks *resident,
               const JobControl &control)
        : m_task(task), m_spec(spec), m_resident(resident), m_control(control),
          // Outputs with their scores can be had without references; then nothing is measured.
          m_measures(!spec.scores || task.hasReferences()), m_fromScratch(spec.scores || spec.run.plain || !resident),
          m_limit(task.limit(spec.run))
    {
        if (m_measures) {
            task.requireReferences();
            m_metrics.resize(task.metrics().size());
            std::iota(m_metrics.begin(), m_metrics.end(), 0);
            const auto primary = m_metrics.begin() + static_cast<std::ptrdiff_t>(task.primaryMetric(spec.run));
            std::rotate(m_metrics.begin(), primary, primary + 1);
        }
        m_tables.resize(m_metrics.size());
        m_result.manifest = std::move(manifest);
        m_result.mask = spec.mask;
        m_result.longestOutput = m_limit.tokens;
    }

    EvaluationResult run(const Publish<EvaluationResult> &publish)
    {
        m_order = visitingOrder(m_task, m_spec.run);
        if (m_fromScratch)
            m_order = inLargerBlocks(m_task, m_order, publish != nullptr);
        for (std::size_t b = 0; b < m_order.size(); ++b) {
            m_control.checkpoint();
            addBlock(b);
            m_control.progress({kPhaseScore, "examples", m_result.examples, m_task.size()});
            const bool isLast = b + 1 == m_order.size();
            if (!isLast && !publish)
                continue;
            score(isLast);
            if (!isLast)
                publish(m_result);
        }
        std::ranges::sort(m_result.outputs, {}, &ExampleOutput::index);
        return std::move(m_result);
    }

private:
    std::vector<ExampleOutput> outputsOf(std::size_t block, const HeadMask &mask) const
    {
        const auto &ids = m_order[block];
        const RunOptions &run = m_spec.run;
        if (m_spec.rescale) {
            const HeadScales scales = rescaledHeads(mask, m_task.layout());
            return m_fromScratch
                     ? m_task.plainOutputs(ids, mask, run, m_spec.scores, m_control, scales)
                     : m_resident->block(block, m_control)->outputs({mask, Replacement::Zero, 0, scales}, m_control);
        }
        return m_fromScratch ? m_task.outputs(ids, mask, run, m_spec.scores, m_control)
                             : m_resident->block(block, m_control)->outputs({mask}, m_control);
    }

    void addBlock(std::size_t block)
    {
        auto outputs = outputsOf(block, m_spec.mask);
        for (std::size_t m = 0; m < m_metrics.size(); ++m)
            appendStatistics(m_task, m_metrics[m], outputs, m_tables[m]);
        if (m_measures && m_spec.against) {
            const auto others = outputsOf(block, *m_spec.against);
            appendStatistics(m_task, m_metrics.front(), others, m_other);
            const std::size_t firstRow = m_other.rows - others.size();
            for (std::size_t i = 0; i < outputs.size(); ++i)
                m_changed += m_task.isChanged(outputs[i], m_tables.front().row(firstRow + i), others[i],
                                              m_other.row(firstRow + i))
                               ? 1
                               : 0;
        }
        m_result.examples += std::ssize(outputs);
        if (m_limit.tokens > 0)
            m_result.reachedLimit += std::ranges::count_if(outputs, m_limit.isReached);
        if (m_spec.outputs)
            keepOutputs(std::move(outputs), m_task.examples(), m_result);
    }

    void score(bool isLast)
    {
        const std::int64_t resamples = scoreResamples(m_spec.resamples, m_task.layout(), isLast);
        m_result.metrics.clear();
        for (std::size_t m = 0; m < m_tables.size(); ++m) {
            const Metric &metric = *m_task.metrics()[m_metrics[m]];
            m_result.metrics.push_back(metricValue(metric, signatureOf(m_task, metric, m_spec.run, m_spec.rescale),
                                                   m_tables[m], resamples, m_spec.run.seed));
        }
        if (m_measures && m_spec.against && resamples > 0 && m_tables.front().rows > 1) {
            m_result.against
                = compareMasks(*m_task.metrics()[m_metrics.front()], m_other, m_tables.front(), m_spec, resamples);
            m_result.against->changed = m_changed;
        }
        m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        const ExampleGroups *groups = m_task.measure().groups();
        if (!isLast || !groups || !m_measures)
            return;
        std::vector<std::int64_t> visited;
        for (const auto &block : m_order)
            visited.insert(visited.end(), block.begin(), block.end());
        m_result.groups = scoresByGroup(m_tables.front(), visited, *m_task.metrics()[m_metrics.front()], *groups,
                                        m_spec.resamples.value_or(kGroupResamples), m_spec.run.seed);
    }

    const Task &m_task;
    const EvaluationSpec &m_spec;
    ResidentBlocks *m_resident;
    const JobControl &m_control;
    bool m_measures;
    bool m_fromScratch; ///< every example is decoded, since there are no states to start from
    OutputLimit m_limit;
    std::vector<std::size_t> m_metrics; ///< the primary one first
    std::vector<StatisticsTable> m_tables;
    StatisticsTable m_other; ///< of the primary metric under the other mask
    std::int64_t m_changed = 0;
    std::vector<std::vector<std::int64_t>> m_order;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    EvaluationResult m_result;
};

} // namespace

EvaluationResult evaluate(const Task &task, const EvaluationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                          const JobControl &control, const Publish<EvaluationResult> &publish)
{
    return Evaluation(task, spec, std::move(manifest), resident, control).run(publish);
}

StatisticsTable wholeModelTable(const Task &task, const RunOptions &run, const JobControl &control)
{
    task.requireReferences();
    const std::size_t metric = task.primaryMetric(run);
    StatisticsTable table;
    for (const auto &block : inLargerBlocks(task, visitingOrder(task, run), false)) {
        control.checkpoint();
        appendStatistics(task, metric, task.outputs(block, HeadMask(), run, false, control), table);
        control.progress({kPhaseScore, "examples", static_cast<std::int64_t>(table.rows), task.size()});
    }
    return table;
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
    const Task &task = input.data().task;
    const HeadUnits units(task.model().spec(), spec.by);
    EvaluationSpec whole = spec;
    whole.mask = units.whole(spec.mask);
    if (spec.against)
        whole.against = units.whole(*spec.against);
    // By what is asked alone, not by what was computed before: a score has the same digits whenever it is asked for.
    const bool ofWholeModel = whole.mask.empty() && !whole.against;
    const auto resident = ofWholeModel ? nullptr : input.resident(spec.run);
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
        remarks.push_back(fmt::format(
            "{} of {} outputs reached the limit of {} tokens and are cut there: --max-length or --max-new-tokens",
            result.reachedLimit, result.examples, result.longestOutput));
    if (result.against && result.against->changed == 0)
        remarks.push_back(
            fmt::format("the other mask changes none of the {} outputs. By the rule of three it may still "
                        "change {} (95 %)",
                        result.examples, unseenText(result.examples, "outputs")));
    return remarks;
}

} // namespace headscope
