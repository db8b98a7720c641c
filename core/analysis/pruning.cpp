#include "core/analysis/pruning.h"

#include "core/analysis/throttle.h"
#include "core/base/random.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

namespace headscope {

PruningOrder orderByValue(const HeadValues &values)
{
    PruningOrder order;
    for (const auto &[head, value] : values)
        order.push_back(head);
    std::ranges::stable_sort(order, {}, [&](const HeadRef &head) { return values.at(head); });
    return order;
}

PruningOrder restrictOrder(const PruningOrder &order, const std::vector<HeadKind> &kinds,
                           std::int64_t atLeastPerLayer)
{
    PruningOrder kept;
    std::map<std::pair<HeadKind, int>, std::int64_t> lastOfLayer;
    // From the end: the last heads of a layer are the ones its order values most.
    for (auto head = order.rbegin(); head != order.rend(); ++head) {
        if (!kinds.empty() && std::ranges::find(kinds, head->kind) == kinds.end())
            continue;
        if (lastOfLayer[{head->kind, head->layer}]++ >= atLeastPerLayer)
            kept.push_back(*head);
    }
    std::ranges::reverse(kept);
    return kept;
}

std::vector<std::int64_t> pruningSchedule(std::int64_t candidates, std::int64_t step, StepRounding rounding)
{
    std::vector<std::int64_t> counts{0};
    if (step > 0) {
        for (std::int64_t count = step; count < candidates; count += step)
            counts.push_back(count);
        counts.push_back(candidates);
    } else {
        for (std::int64_t tenth = 1; tenth <= 10; ++tenth)
            counts.push_back((candidates * tenth + (rounding == StepRounding::Up ? 9 : 0)) / 10);
    }
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    return counts;
}

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

/// Of the metric of an ablation's JSON.
Better betterOf(const nlohmann::json &json)
{
    const nlohmann::json::json_pointer place("/baseline/better");
    const bool said = json.contains(place) && json.at(place).is_string();
    return said ? parseBetter(json.at(place).get<std::string>()).value_or(Better::Higher) : Better::Higher;
}

Result<PruningOrder> orderFromJson(const std::string &file, const nlohmann::json &json)
{
    std::map<HeadRef, double> values;
    const Better better = betterOf(json);
    const auto heads = json.is_object() ? json.find("heads") : json.end();
    if (!json.is_object() || heads == json.end() || !heads->is_array())
        return badInput(file + ": expected the JSON of `ablate` or `importance` with a list \"heads\".");
    const nlohmann::json::json_pointer inManifest("/manifest/partial");
    if (json.value("partial", false) || json.value(inManifest, false))
        return badInput(file + ": this result is partial, its analysis was cancelled. An order needs all examples: "
                               "run it to the end.");
    for (const auto &entry : *heads) {
        const bool named = entry.is_object() && entry.contains("head") && entry["head"].is_string();
        const char *key = named && entry.contains("importance") ? "importance" : "delta";
        if (!named || !entry.contains(key) || !entry[key].is_number())
            return badInput(file + ": an entry of \"heads\" has no head with importance or delta: " + entry.dump());
        const auto head = parseHeadRef(entry["head"].get<std::string>());
        if (!head.isOk())
            return badInput(file + ": " + head.error().message);
        // A small importance and a delta that is no loss both mean: remove early.
        const double value = entry[key].get<double>();
        values[head.value()] = std::string_view(key) == "delta" ? -gain(better, value) : value;
    }
    return orderByValue(values);
}

} // namespace

Result<PruningOrder> readPruningOrder(const std::string &file, const HeadLayout &layout)
{
    PruningOrder order;
    if (file.ends_with(".json")) {
        auto json = readJsonFile(file);
        if (!json.isOk())
            return json.error();
        auto fromJson = orderFromJson(file, json.value());
        if (!fromJson.isOk())
            return fromJson.error();
        order = std::move(fromJson).value();
    } else {
        auto lines = readLines(file);
        if (!lines.isOk())
            return lines.error();
        for (std::size_t i = 0; i < lines.value().size(); ++i) {
            std::string line = lines.value()[i].substr(0, lines.value()[i].find('#'));
            while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
                line.pop_back();
            if (line.empty())
                continue;
            const auto head = parseHeadRef(line);
            if (!head.isOk())
                return badInput(file + ", line " + std::to_string(i + 1) + ": " + head.error().message);
            order.push_back(head.value());
        }
    }
    std::set<HeadRef> seen;
    for (const HeadRef &head : order) {
        if (!layout.contains(head))
            return badInput(file + ": the model has no head " + toText(head) + ".");
        if (!seen.insert(head).second)
            return badInput(file + ": head " + toText(head) + " is listed twice.");
    }
    if (order.empty())
        return badInput(file + ": no heads in it. Expected one head a line, such as encoder.2.6.");
    return order;
}

std::vector<PruningOrder> randomOrders(const HeadLayout &layout, std::int64_t count, std::uint64_t seed)
{
    std::vector<PruningOrder> orders;
    Random random(seed);
    for (std::int64_t i = 0; i < count; ++i) {
        PruningOrder order = layout.heads();
        shuffle(order, random);
        orders.push_back(std::move(order));
    }
    return orders;
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

HeadValues worthOf(const AblationResult &result)
{
    HeadValues values;
    for (const HeadAblation &head : result.heads)
        values[head.head] = -gain(result.baseline.better, head.delta);
    return values;
}

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
