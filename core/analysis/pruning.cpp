#include "core/analysis/pruning.h"

#include "core/analysis/throttle.h"

#include <algorithm>
#include <numeric>
#include <optional>

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

HeadMask firstHeads(const PruningOrder &order, std::int64_t count)
{
    return HeadMask(std::vector<HeadRef>(order.begin(), order.begin() + count));
}

/// Makes curve points out of the engine's statistics. Variants are laid out order by order, count by count.
class CurveBuilder
{
public:
    CurveBuilder(const Metric &metric, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                 std::vector<std::int64_t> counts, std::int64_t total)
        : m_metric(metric), m_spec(spec), m_orders(orders), m_counts(std::move(counts)), m_total(total)
    {
    }

    std::vector<Variant> variants() const
    {
        std::vector<Variant> variants;
        for (const PruningOrder &order : m_orders) {
            for (std::size_t i = 1; i < m_counts.size(); ++i)
                variants.push_back({firstHeads(order, m_counts[i]), Replacement::Zero});
        }
        return variants;
    }

    void fill(const EngineState &state, PruningCurve &curve, const JobControl &control)
    {
        const auto rows = static_cast<std::int64_t>(state.baseline.rows);
        if (!m_bootstrap || static_cast<std::int64_t>(m_bootstrap->baseline().rows) != rows)
            m_bootstrap.emplace(state.baseline, m_metric,
                                rows == m_total ? m_spec.resamples : std::min<std::int64_t>(m_spec.resamples, 200),
                                m_spec.run.seed);
        curve.points.clear();
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            control.checkpoint(); // thousands of random orders take a while to add up
            if (auto point = pointAt(state, i))
                curve.points.push_back(std::move(*point));
        }
    }

private:
    /// Nothing while no order has reached the point on the newest block.
    std::optional<PruningPoint> pointAt(const EngineState &state, std::size_t i) const
    {
        const bool band = m_orders.size() > 1;
        std::vector<const StatisticsTable *> tables;
        for (std::size_t o = 0; o < m_orders.size(); ++o) {
            const StatisticsTable &table
                = i == 0 ? state.baseline : state.variants[o * (m_counts.size() - 1) + i - 1].table;
            if (table.rows == state.baseline.rows)
                tables.push_back(&table);
        }
        if (tables.empty())
            return std::nullopt;
        PruningPoint point;
        point.pruned = m_counts[i];
        point.fraction = m_counts.back() > 0
                             ? static_cast<double>(m_counts[i]) / static_cast<double>(m_counts.back())
                             : 0;
        if (band) {
            std::vector<double> scores;
            for (const StatisticsTable *table : tables)
                scores.push_back(m_metric.score(table->sums()));
            const auto [low, high] = std::ranges::minmax(scores);
            point.interval = {low, high};
            point.score = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
        } else {
            point.score = m_metric.score(tables.front()->sums());
            point.interval = i == 0 ? m_bootstrap->baselineInterval()
                                    : percentileInterval(m_bootstrap->scores(*tables.front()));
            point.mask = firstHeads(m_orders.front(), m_counts[i]);
        }
        return point;
    }

    const Metric &m_metric;
    const PruningSpec &m_spec;
    const std::vector<PruningOrder> &m_orders;
    std::vector<std::int64_t> m_counts;
    std::int64_t m_total = 0;
    std::optional<PairedBootstrap> m_bootstrap;
};

} // namespace

HeadValues scoresWithoutEach(const Task &task, const RunOptions &run, const std::vector<HeadKind> &kinds,
                             const HeadMask &removed, ResidentBlocks *resident, const JobControl &control)
{
    const Metric &metric = *task.metrics()[task.primaryMetric(run)];
    const std::string phase = "choosing head " + std::to_string(removed.size() + 1);
    EngineRequest request{.base = removed, .variants = {}, .run = run, .phase = phase.c_str(), .resident = resident};
    std::vector<HeadRef> heads;
    for (const HeadRef &head : restrictOrder(task.layout().heads(), kinds, 0)) {
        if (removed.isMasked(head))
            continue;
        heads.push_back(head);
        request.variants.push_back({HeadMask{head}, Replacement::Zero});
    }
    HeadValues values;
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        for (std::size_t v = 0; v < heads.size(); ++v)
            values[heads[v]] = -gain(metric.better(), metric.score(state.variants[v].table.sums()));
    });
    return values;
}

PruningPoint pruningPoint(const Task &task, const PruningSpec &spec, const HeadMask &mask, std::int64_t candidates,
                          ResidentBlocks *resident, const JobControl &control)
{
    const Metric &metric = *task.metrics()[task.primaryMetric(spec.run)];
    const EngineRequest request{.base = {},
                                .variants = {{mask, Replacement::Zero}},
                                .run = spec.run,
                                .phase = "measuring a step",
                                .resident = resident};
    PruningPoint point;
    point.pruned = mask.size();
    point.fraction = candidates > 0 ? static_cast<double>(mask.size()) / static_cast<double>(candidates) : 0;
    point.mask = mask;
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        const StatisticsTable &table = state.variants.front().table;
        point.score = metric.score(table.sums());
        point.interval = bootstrapInterval(table, metric, spec.resamples, spec.run.seed);
    });
    return point;
}

PruningCurve pruningCurve(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                          const std::string &name, ResidentBlocks *resident, const JobControl &control,
                          const Publish<PruningCurve> &publish)
{
    PruningCurve curve;
    curve.order = name;
    curve.randomOrders = orders.size() > 1 ? std::ssize(orders) : 0;
    curve.kinds = spec.kinds;
    curve.candidates = std::ssize(orders.front());
    curve.reversed = spec.reverse;
    curve.reestimated = spec.reestimate;
    curve.atLeastPerLayer = spec.atLeastPerLayer;
    curve.step = spec.step;
    curve.rounding = spec.rounding;
    CurveBuilder builder(*task.metrics()[task.primaryMetric(spec.run)], spec, orders,
                         pruningSchedule(curve.candidates, spec.step, spec.rounding), task.size());
    const EngineRequest request{.base = {},
                                .variants = builder.variants(),
                                .run = spec.run,
                                .phase = "pruning",
                                .resident = resident};
    Throttle throttle(std::chrono::milliseconds(500));
    curve.products = runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done == state.total || (publish && throttle.isDue())) {
            builder.fill(state, curve, control);
            if (publish)
                publish(curve);
        }
    });
    return curve;
}

} // namespace headscope
