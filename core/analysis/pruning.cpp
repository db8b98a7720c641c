#include "core/analysis/pruning.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/importance.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/input.h"
#include "core/analysis/pruningorder.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rescaledheads.h"
#include "core/analysis/scoretests.h"
#include "core/analysis/shapleyspec.h"
#include "core/analysis/throttle.h"
#include "core/analysis/workload.h"
#include "core/formats/hash.h"
#include "core/results/results.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace headscope {

PruningOrder stepwiseOrder(const std::vector<std::int64_t> &counts, std::int64_t atLeastPerLayer, bool reverse,
                           const HeadLayout &layout, const std::function<HeadValues(const HeadMask &removed)> &valuesOf,
                           const std::function<void(const PruningOrder &)> &onStep)
{
    std::map<std::pair<HeadKind, int>, std::int64_t> left;
    for (const HeadRef &head : layout.heads())
        ++left[{head.kind, head.layer}];
    PruningOrder order;
    for (std::size_t step = 1; step < counts.size(); ++step) {
        HeadValues values = valuesOf(HeadMask(order));
        if (reverse) {
            for (auto &[head, value] : values)
                value = -value;
        }
        for (const HeadRef &head : orderByValue(values)) {
            if (std::ssize(order) >= counts[step])
                break;
            std::int64_t &ofLayer = left[{head.kind, head.layer}];
            if (ofLayer <= atLeastPerLayer)
                continue;
            --ofLayer;
            order.push_back(head);
        }
        if (onStep)
            onStep(order);
    }
    return order;
}

namespace {

HeadMask firstHeads(const PruningOrder &order, std::int64_t count, const HeadUnits &units)
{
    return units.whole(HeadMask(std::vector<HeadRef>(order.begin(), order.begin() + count)));
}

/// The heads that a point removes, as the engine runs them.
Variant variantOf(const HeadMask &mask, const Task &task, bool rescale)
{
    return {mask, Replacement::Zero, 0, rescale ? rescaledHeads(mask, task.layout()) : HeadScales()};
}

/// For labels the other metrics of predictions (accuracy, F1, Matthews): the same runs of the model have them all.
std::vector<std::size_t> otherMetrics(const Task &task, const RunOptions &run)
{
    std::vector<std::size_t> others;
    if (task.measure().labels().empty())
        return others;
    for (std::size_t metric = 0; metric < task.metrics().size(); ++metric) {
        if (metric != task.primaryMetric(run) && task.measure().isDecidedByPredictions(metric)
            && supportsPairedTests(*task.metrics()[metric]))
            others.push_back(metric);
    }
    return others;
}

/// Makes curve points out of the engine's statistics. Variants are laid out order by order, count by count.
class CurveBuilder
{
public:
    CurveBuilder(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                 std::vector<std::int64_t> counts, const HeadUnits &units)
        : m_task(task), m_spec(spec), m_orders(orders), m_counts(std::move(counts)), m_units(units),
          m_others(otherMetrics(task, spec.run))
    {
        std::size_t first = 0;
        std::vector<std::size_t> metrics{task.primaryMetric(spec.run)};
        metrics.insert(metrics.end(), m_others.begin(), m_others.end());
        for (const std::size_t metric : metrics) {
            m_columns.push_back({*task.metrics()[metric], first, {}});
            first += task.metrics()[metric]->statisticsSize();
        }
    }

    /// Metrics that the engine's tables must have beside the primary one.
    const std::vector<std::size_t> &others() const { return m_others; }

    std::vector<Variant> variants() const
    {
        std::vector<Variant> variants;
        for (const PruningOrder &order : m_orders) {
            for (std::size_t i = 1; i < m_counts.size(); ++i)
                variants.push_back(variantOf(firstHeads(order, m_counts[i], m_units), m_task, m_spec.rescale));
        }
        return variants;
    }

    void fill(const EngineState &state, PruningCurve &curve, const JobControl &control)
    {
        const auto rows = static_cast<std::int64_t>(state.baseline.rows);
        m_resamples = scoreResamples(m_spec.resamples, m_task.layout(), rows == m_task.size());
        for (Columns &one : m_columns) {
            if (!one.bootstrap || static_cast<std::int64_t>(one.bootstrap->baseline().rows) != rows)
                one.bootstrap.emplace(one.of(state.baseline), one.metric, m_resamples, m_spec.run.seed);
        }
        curve.points.clear();
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            control.checkpoint(); // thousands of random orders take a while to add up
            if (auto point = pointAt(state, i))
                curve.points.push_back(std::move(*point));
        }
    }

private:
    /// The columns of the engine's tables that are of one metric.
    struct Columns
    {
        const Metric &metric;
        std::size_t first = 0;
        std::optional<PairedBootstrap> bootstrap;

        StatisticsTable of(const StatisticsTable &table) const
        {
            return columnsOf(table, first, metric.statisticsSize());
        }
    };

    /// The engine's statistics of a point.
    struct Reached
    {
        std::vector<std::vector<double>>
            sums;             ///< of all columns, for each order that has reached it on the newest block
        StatisticsTable last; ///< of the last of them
    };
    Reached reachedAt(const EngineState &state, std::size_t i) const
    {
        Reached reached;
        for (std::size_t o = 0; o < m_orders.size(); ++o) {
            const VariantStatistics *variant = i == 0 ? nullptr : &state.variants[o * (m_counts.size() - 1) + i - 1];
            if (variant && variant->rows() != state.baseline.rows)
                continue;
            reached.last = variant ? variant->table(state.baseline) : state.baseline;
            reached.sums.push_back(reached.last.sums());
            if (i == 0) // the whole model is the same in every order
                break;
        }
        return reached;
    }

    struct Scored
    {
        double score = 0;
        Interval interval;
        std::optional<PairedTest> paired{};
    };
    Scored scored(const Columns &columns, const Reached &reached, std::size_t i) const
    {
        std::vector<double> scores;
        for (const std::vector<double> &sums : reached.sums)
            scores.push_back(
                columns.metric.score(std::span(sums).subspan(columns.first, columns.metric.statisticsSize())));
        if (m_orders.size() == 1) {
            const PairedBootstrap &bootstrap = *columns.bootstrap;
            const StatisticsTable table = columns.of(reached.last);
            auto paired = pairedTest(bootstrap.compare(table), m_resamples, table.rows);
            if (i == 0 && paired) // the full model differs from itself in nothing, whatever the examples
                paired = PairedTest();
            return {scores.front(), i == 0 ? bootstrap.baselineInterval() : bootstrap.scoreInterval(table), paired};
        }
        const auto [low, high] = std::ranges::minmax(scores);
        return {std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size()), {low, high}};
    }

    /// Nothing while no order has reached the point on the newest block.
    std::optional<PruningPoint> pointAt(const EngineState &state, std::size_t i) const
    {
        const Reached reached = reachedAt(state, i);
        if (reached.sums.empty())
            return std::nullopt;
        PruningPoint point;
        point.pruned = firstHeads(m_orders.front(), m_counts[i], m_units).size();
        point.fraction
            = m_counts.back() > 0 ? static_cast<double>(m_counts[i]) / static_cast<double>(m_counts.back()) : 0;
        const Scored primary = scored(m_columns.front(), reached, i);
        point.score = primary.score;
        point.interval = primary.interval;
        point.paired = primary.paired;
        for (std::size_t m = 1; m < m_columns.size(); ++m) {
            const Metric &metric = m_columns[m].metric;
            const Scored other = scored(m_columns[m], reached, i);
            point.others.push_back({{metric.name(), other.score, other.interval,
                                     signatureOf(m_task, metric, m_spec.run, m_spec.rescale), metric.better()},
                                    other.paired});
        }
        if (m_orders.size() == 1)
            point.mask = firstHeads(m_orders.front(), m_counts[i], m_units);
        return point;
    }

    const Task &m_task;
    const PruningSpec &m_spec;
    const std::vector<PruningOrder> &m_orders;
    std::vector<std::int64_t> m_counts;
    const HeadUnits &m_units;
    std::vector<std::size_t> m_others;
    std::vector<Columns> m_columns; ///< the primary metric's first
    std::int64_t m_resamples = 0;
};

} // namespace

HeadValues scoresWithoutEach(const Task &task, const RunOptions &run, const HeadUnits &units,
                             const std::vector<HeadKind> &kinds, const HeadMask &removed, ResidentBlocks *resident,
                             const JobControl &control, const KeptWork &kept, bool rescale)
{
    const Metric &metric = *task.metrics()[task.primaryMetric(run)];
    // With heads rescaled every variant starts from the whole model: bases have no factors.
    EngineRequest request{.base = rescale ? HeadMask() : removed,
                          .variants = {},
                          .run = run,
                          .phase = {kPhaseChoosing, {std::to_string(removed.size() + 1)}},
                          .resident = resident,
                          .kept = &kept};
    std::vector<HeadRef> heads;
    for (const HeadRef &head : restrictOrder(units.firsts().heads(), kinds, 0)) {
        if (removed.isMasked(head))
            continue;
        heads.push_back(head);
        HeadMask without = units.whole(HeadMask{head});
        if (rescale) {
            for (const HeadRef &gone : removed)
                without.set(gone, true);
        }
        request.variants.push_back(variantOf(without, task, rescale));
    }
    HeadValues values;
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        for (std::size_t v = 0; v < heads.size(); ++v)
            values[heads[v]] = -gain(metric.better(), metric.score(state.variants[v].table(state.baseline).sums()));
    });
    return values;
}

PruningPoint pruningPoint(const Task &task, const PruningSpec &spec, const HeadMask &mask, std::int64_t candidates,
                          ResidentBlocks *resident, const JobControl &control, const KeptWork &kept)
{
    const Metric &metric = *task.metrics()[task.primaryMetric(spec.run)];
    const HeadUnits units(task.model().spec(), spec.by);
    const EngineRequest request{.base = {},
                                .variants = {variantOf(mask, task, spec.rescale)},
                                .run = spec.run,
                                .phase = kPhaseStep,
                                .resident = resident,
                                .kept = &kept};
    PruningPoint point;
    point.pruned = mask.size();
    std::set<HeadRef> removed;
    for (const HeadRef &head : mask)
        removed.insert(units.unitOf(head));
    point.fraction = candidates > 0 ? static_cast<double>(removed.size()) / static_cast<double>(candidates) : 0;
    point.mask = mask;
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        const StatisticsTable table = state.variants.front().table(state.baseline);
        const std::int64_t resamples = scoreResamples(spec.resamples, task.layout(), true);
        const PairedBootstrap bootstrap(state.baseline, metric, resamples, spec.run.seed);
        point.score = metric.score(table.sums());
        point.interval = mask.empty() ? bootstrap.baselineInterval() : bootstrap.scoreInterval(table);
        point.paired = pairedTest(bootstrap.compare(table), resamples, table.rows);
        if (mask.empty() && point.paired)
            point.paired = PairedTest();
    });
    return point;
}

PruningCurve pruningCurve(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                          const std::string &name, ResidentBlocks *resident, const JobControl &control,
                          const PublishCurve &publish, const KeptWork &kept)
{
    PruningCurve curve;
    curve.order = name;
    curve.randomOrders = orders.size() > 1 ? std::ssize(orders) : 0;
    curve.kinds = spec.kinds;
    curve.candidates = std::ssize(orders.front());
    curve.reversed = spec.reverse;
    curve.reestimated = spec.reestimate;
    curve.rescaled = spec.rescale;
    curve.atLeastPerLayer = spec.atLeastPerLayer;
    curve.step = spec.step;
    curve.rounding = spec.rounding;
    const HeadUnits units(task.model().spec(), spec.by);
    CurveBuilder builder(task, spec, orders, pruningSchedule(curve.candidates, spec.step, spec.rounding), units);
    const EngineRequest request{.base = {},
                                .variants = builder.variants(),
                                .run = spec.run,
                                .phase = kPhasePruning,
                                .resident = resident,
                                .others = builder.others(),
                                .kept = &kept};
    Throttle throttle(std::chrono::milliseconds(500));
    bool isWhole = false; // there are values at all points
    curve.products = runVariants(task, request, control, [&](const EngineState &state) {
        const bool blockDone = std::ranges::all_of(
            state.variants, [&](const VariantStatistics &one) { return one.rows() == state.baseline.rows; });
        isWhole = isWhole || blockDone;
        // The first block shows point after point; later ones take the place of what is shown when they are done.
        if (state.done == state.total || (publish && (blockDone || (!isWhole && throttle.isDue())))) {
            builder.fill(state, curve, control);
            if (publish)
                publish(curve, static_cast<std::int64_t>(state.baseline.rows));
        }
    });
    return curve;
}

namespace {

bool isStepwise(const PruningSpec &spec)
{
    return spec.order == "greedy" || (spec.order == "importance" && spec.reestimate);
}

/// Importance estimated anew before every step, with the heads removed so far masked ("exact pruning"); or
/// greedy: the exact score without each of the others. On the second data set where there is one.
PruningOrder stepwisePruningOrder(AnalysisInput &input, const PruningSpec &spec, const KeptWork &kept,
                                  const JobControl &control, const std::function<void(const PruningOrder &)> &onStep)
{
    const auto second = input.second();
    const Task &task = second ? second->task : input.data().task;
    const HeadUnits units(task.model().spec(), spec.by);
    const HeadLayout &layout = units.firsts();
    const std::int64_t candidates = std::ssize(restrictOrder(layout.heads(), spec.kinds, spec.atLeastPerLayer));
    const bool greedy = spec.order == "greedy";
    const auto counts = greedy ? pruningSchedule(candidates, std::max<std::int64_t>(1, spec.greedyStep))
                               : pruningSchedule(candidates, spec.step, spec.rounding);
    const auto resident = greedy ? input.resident(spec.run, second.has_value()) : nullptr;
    const auto valuesOf = [&](const HeadMask &removed) {
        if (greedy)
            return scoresWithoutEach(task, spec.run, units, spec.kinds, units.whole(removed), resident.get(), control,
                                     kept, spec.rescale);
        HeadValues values = worthOf(importance(task, importanceOf(spec, removed), {}, control, {}));
        std::erase_if(values, [&](const auto &one) {
            const HeadRef &head = one.first;
            return removed.isMasked(head)
                || (!spec.kinds.empty() && std::ranges::find(spec.kinds, head.kind) == spec.kinds.end());
        });
        return values;
    };
    return stepwiseOrder(counts, spec.atLeastPerLayer, spec.reverse, layout, valuesOf, onStep);
}

/// The worth of heads by the analysis that the order is named after: what is worth least goes first.
HeadValues worthByData(AnalysisInput &input, const PruningSpec &spec, const HeadUnits &units, const JobControl &control)
{
    if (spec.order == "ablation")
        return worthOf(input.ask(sweepOf(spec), control));
    if (spec.order == "importance")
        return worthOf(input.ask(importanceOf(spec), control));
    if (spec.order == "shapley")
        return worthOf(input.ask(ShapleySpec{.run = spec.run, .by = spec.by, .kinds = spec.kinds}, control));
    // These know heads only: a unit is worth what its heads are together.
    HeadValues values;
    for (const auto &[head, value] :
         spec.order == "relevance" ? worthOf(input.ask(RelevanceSpec{.run = spec.run}, control))
                                   : worthOf(input.ask(GatingSpec{.run = spec.run, .kinds = spec.kinds}, control)))
        values[units.unitOf(head)] += value;
    return values;
}

/// The order of a file, by units: each where its first head is.
PruningOrder readOrderOfUnits(const std::string &file, const HeadUnits &units, const HeadLayout &layout)
{
    PruningOrder order;
    for (const HeadRef &head : readPruningOrder(file, layout).valueOrThrow()) {
        if (const HeadRef unit = units.unitOf(head); std::ranges::find(order, unit) == order.end())
            order.push_back(unit);
    }
    return order;
}

/// One order, or several random ones, over the heads that `spec` lets go. `onStep`: see stepwiseOrder().
std::vector<PruningOrder> pruningOrders(AnalysisInput &input, const PruningSpec &spec, const KeptWork &kept,
                                        const JobControl &control,
                                        const std::function<void(const PruningOrder &)> &onStep)
{
    const TransformerSpec &model = input.data().task.model().spec();
    const HeadUnits units(model, spec.by);
    const HeadLayout &layout = units.firsts();
    const auto ordered = [&](HeadValues values) {
        for (auto &[head, value] : values)
            value = spec.reverse ? -value : value; // ties stay in the order of addresses either way
        return orderByValue(values);
    };
    const auto reversed = [&](PruningOrder order) {
        if (spec.reverse)
            std::ranges::reverse(order);
        return order;
    };
    std::vector<PruningOrder> orders;
    if (isStepwise(spec)) {
        orders.push_back(stepwisePruningOrder(input, spec, kept, control, onStep));
    } else if (spec.order == "random") {
        const std::int64_t count = std::max<std::int64_t>(1, spec.randomOrders);
        for (PruningOrder &order : randomOrders(layout, count, spec.run.seed))
            orders.push_back(reversed(std::move(order)));
    } else if (isChosenByData(spec)) {
        orders.push_back(ordered(worthByData(input, spec, units, control)));
    } else {
        orders.push_back(reversed(readOrderOfUnits(spec.order, units, model.layout())));
    }
    for (PruningOrder &order : orders) {
        if (!isStepwise(spec)) // stepwise orders have counted them
            order = restrictOrder(order, spec.kinds, spec.atLeastPerLayer);
        if (order.empty())
            throw Failure(usageError("There is nothing to prune: no head is of the chosen kinds, or every layer "
                                     "keeps all its heads."));
    }
    return orders;
}

/// The kinds of attention that each curve is of.
std::vector<std::vector<HeadKind>> selections(const PruningSpec &spec, const HeadLayout &layout)
{
    if (!spec.eachKind)
        return {spec.kinds};
    std::vector<std::vector<HeadKind>> kinds;
    for (const HeadLayout::Block &block : layout.blocks()) {
        if (spec.kinds.empty() || std::ranges::find(spec.kinds, block.kind) != spec.kinds.end())
            kinds.push_back({block.kind});
    }
    return kinds;
}

/// The curves of a result, one after the other, which is shown while they grow.
class PruningCurves
{
public:
    /// Keeps references.
    PruningCurves(const PruningSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                  const Publish<PruningResult> &publish)
        : m_spec(spec), m_input(input), m_control(control), m_publish(publish), m_task(input.data().task),
          m_units(m_task.model().spec(), spec.by), m_resident(input.resident(spec.run)),
          m_kept(input.keptWork(manifest.key()))
    {
        const Metric &metric = *m_task.metrics()[m_task.primaryMetric(spec.run)];
        m_result.manifest = std::move(manifest);
        m_result.metric = metric.name();
        m_result.better = metric.better();
        m_result.examples = m_task.size();
    }

    void add(const std::vector<HeadKind> &kinds)
    {
        PruningSpec one = m_spec;
        one.kinds = kinds;
        PruningCurve growing; // the order so far
        growing.order = m_spec.order;
        growing.kinds = kinds;
        growing.candidates = std::ssize(restrictOrder(m_units.firsts().heads(), kinds, m_spec.atLeastPerLayer));
        const auto measure = [&](const HeadMask &mask) {
            growing.points.push_back(
                pruningPoint(m_task, one, mask, growing.candidates, m_resident.get(), m_control, m_kept));
        };
        const auto onStep = [&](const PruningOrder &order) {
            if (!m_publish)
                return;
            if (growing.points.empty())
                measure({});
            measure(m_units.whole(HeadMask(order)));
            show(growing, m_result.examples);
        };
        const auto orders = pruningOrders(m_input, one, m_kept, m_control, onStep);
        const auto onPoints = [&](const PruningCurve &curve, std::int64_t examples) { show(curve, examples); };
        m_result.curves.push_back(
            named(pruningCurve(m_task, one, orders, m_spec.order, m_resident.get(), m_control, onPoints, m_kept)));
    }

    PruningResult result() && { return std::move(m_result); }

private:
    /// The curve with the name of the data that its order was chosen by.
    PruningCurve named(PruningCurve curve) const
    {
        if (isChosenByData(m_spec)) {
            const AnalysisData data = m_input.data();
            const AnalysisData chooser = m_input.second().value_or(data);
            curve.orderData = chooser.name;
            curve.chosenOnEvaluated = chooser.hash == data.hash;
        }
        return curve;
    }

    void show(const PruningCurve &curve, std::int64_t examples) const
    {
        if (!m_publish)
            return;
        PruningResult partial = m_result;
        partial.examples = examples; // those before rest on all
        partial.curves.push_back(named(curve));
        m_publish(partial);
    }

    const PruningSpec &m_spec;
    AnalysisInput &m_input;
    const JobControl &m_control;
    const Publish<PruningResult> &m_publish;
    const Task &m_task;
    HeadUnits m_units;
    std::shared_ptr<ResidentBlocks> m_resident;
    KeptWork m_kept;
    PruningResult m_result;
};

} // namespace

void AnalysisOf<PruningSpec>::check(const PruningSpec &spec)
{
    if (spec.rescale && spec.reestimate)
        throw Failure(usageError("--rescale and --reestimate do not go together: importance is estimated of heads that "
                                 "are not rescaled."));
    requirePruningOrder(spec.order);
}

PruningResult AnalysisOf<PruningSpec>::compute(const PruningSpec &spec, AnalysisInput &input, Manifest manifest,
                                               const JobControl &control, const Publish<PruningResult> &publish)
{
    const Task &task = input.data().task;
    task.requireReferences();
    PruningCurves curves(spec, input, std::move(manifest), control, publish);
    for (const auto &kinds : selections(spec, task.layout()))
        curves.add(kinds);
    return std::move(curves).result();
}

std::string AnalysisOf<PruningSpec>::contents(const PruningSpec &spec, const Dataset &, const JobControl &control)
{
    // A file is what is in it, whatever its name.
    return isChosenByData(spec) || spec.order == "random" ? std::string()
                                                          : hashFile(spec.order, control).valueOrThrow();
}

} // namespace headscope
