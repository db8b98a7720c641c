#include "ui/charts/pruningseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

std::optional<std::size_t> kneeOf(const std::vector<CurvePoint> &points, Better better)
{
    std::optional<std::size_t> knee;
    double furthest = 0;
    const CurvePoint &first = points.front();
    const CurvePoint &last = points.back();
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const CurvePoint &point = points[i];
        const double share = (point.removed - first.removed) / (last.removed - first.removed);
        const double line = first.score + share * (last.score - first.score);
        const double above = gain(better, point.score - line);
        if (above > furthest && gain(better, Interval{point.low - line, point.high - line}).low > 0) {
            furthest = above;
            knee = i;
        }
    }
    return knee;
}

CurveSeries makeCurve(const PruningCurve &curve, const PruningInput &input, const SignificanceRule &rule)
{
    CurveSeries series;
    series.order = QString::fromStdString(curve.order);
    series.outOfDomain = input.outOfDomain;
    series.note = input.note;
    series.basis = input.basis;
    if (input.result->curves.size() > 1 && curve.kinds.size() == 1)
        series.kind = curve.kinds.front();
    series.randomOrders = curve.randomOrders;
    const double factor = metricFormat(QString::fromStdString(input.result->metric)).factor;
    for (const PruningPoint &point : curve.points)
        series.points.push_back({static_cast<double>(point.pruned), point.score * factor, point.interval.low * factor,
                                 point.interval.high * factor});
    series.removable = removableHeads(lossesOf(*input.result, curve), rule);
    if (series.randomOrders > 0 || series.points.empty())
        return series;
    series.firstLoss = series.removable.firstLoss;
    if (series.removable.withinMargin.value_or(0) > 0) {
        const auto last = std::ranges::find(curve.points, *series.removable.withinMargin, &PruningPoint::pruned);
        series.within = static_cast<std::size_t>(last - curve.points.begin());
    }
    series.accepted = series.points.front().score - gain(input.result->better, factor * series.removable.margin);
    series.knee = kneeOf(series.points, input.result->better);
    return series;
}

/// Round ends around everything that is drawn.
void fitScores(PruningSeries &series)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const CurveSeries &curve : series.curves) {
        for (const CurvePoint &point : curve.points) {
            low = std::min({low, point.score, point.low});
            high = std::max({high, point.score, point.high});
        }
    }
    if (!(low <= high))
        return;
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    const double step = roundStep(high - low, 7);
    series.low = std::floor(low / step) * step;
    series.high = std::ceil(high / step) * step;
}

} // namespace

PruningResult curveOfSearch(const SearchResult &search)
{
    PruningResult result;
    result.manifest = search.manifest;
    result.metric = search.baseline.name;
    result.better = search.baseline.better;
    result.examples = search.examples;
    PruningCurve curve;
    curve.order = kSearchCurve;
    curve.kinds = search.kinds;
    curve.candidates = search.candidates;
    curve.orderData = search.searchData;
    curve.chosenOnEvaluated = search.searchedOnEvaluated;
    for (const SearchPoint &point : search.points) {
        const FoundMask &found = point.rearranged;
        curve.points.push_back(
            {point.pruned, point.fraction, found.score, found.interval, found.mask, {}, found.paired});
    }
    result.curves.push_back(std::move(curve));
    return result;
}

QStringList pruningMetrics(const std::vector<PruningInput> &inputs)
{
    QStringList metrics;
    const auto add = [&](const std::string &name) {
        if (const QString metric = QString::fromStdString(name); !metrics.contains(metric))
            metrics << metric;
    };
    for (const PruningInput &input : inputs)
        add(input.result->metric);
    for (const PruningInput &input : inputs) {
        if (input.result->curves.empty() || input.result->curves.front().points.empty())
            continue;
        for (const MetricValue &other : input.result->curves.front().points.front().others)
            add(other.name);
    }
    return metrics;
}

namespace {

/// Null: a point has no score by this metric.
std::shared_ptr<const PruningResult> resultByMetric(const PruningResult &result, const std::string &metric)
{
    auto changed = std::make_shared<PruningResult>(result);
    changed->metric = metric;
    for (PruningCurve &curve : changed->curves) {
        for (PruningPoint &point : curve.points) {
            const auto found = std::ranges::find(point.others, metric, &MetricValue::name);
            if (found == point.others.end())
                return nullptr;
            changed->better = found->better;
            point.score = found->value;
            point.interval = found->interval.value_or(Interval{found->value, found->value});
            point.paired = found->paired;
        }
    }
    return changed;
}

} // namespace

std::vector<PruningInput> byMetric(const std::vector<PruningInput> &inputs, const QString &metric)
{
    std::vector<PruningInput> shown;
    for (PruningInput input : inputs) {
        if (QString::fromStdString(input.result->metric) != metric)
            input.result = resultByMetric(*input.result, metric.toStdString());
        if (input.result)
            shown.push_back(std::move(input));
    }
    return shown;
}

PruningSeries makePruningSeries(const std::vector<PruningInput> &inputs, int candidates, const SignificanceRule &rule)
{
    PruningSeries series;
    series.candidates = candidates;
    for (const PruningInput &input : inputs) {
        series.metric = QString::fromStdString(input.result->metric);
        series.better = input.result->better;
        for (const PruningCurve &curve : input.result->curves) {
            if (curve.points.empty())
                continue;
            CurveSeries made = makeCurve(curve, input, rule);
            const auto isAlike = [&made](const CurveSeries &other) {
                return other.order == made.order && other.outOfDomain == made.outOfDomain && other.kind == made.kind;
            };
            made.isVariant = std::ranges::any_of(series.curves, isAlike);
            series.curves.push_back(std::move(made));
            series.candidates
                = std::max(series.candidates, static_cast<int>(series.curves.back().points.back().removed));
        }
    }
    std::stable_sort(series.curves.begin(), series.curves.end(), [](const CurveSeries &a, const CurveSeries &b) {
        return (a.randomOrders > 0) > (b.randomOrders > 0);
    });
    series.candidates = std::max(series.candidates, 1);
    fitScores(series);
    return series;
}

std::optional<CurveReading> readCurve(const CurveSeries &curve, double removed)
{
    const auto &points = curve.points;
    if (points.empty() || removed < points.front().removed || removed > points.back().removed)
        return {};
    const auto after = std::lower_bound(points.begin(), points.end(), removed,
                                        [](const CurvePoint &point, double x) { return point.removed < x; });
    if (after->removed == removed)
        return CurveReading{after->score, true};
    const auto before = after - 1;
    const double share = (removed - before->removed) / (after->removed - before->removed);
    return CurveReading{before->score + share * (after->score - before->score), false};
}

std::optional<HeadMask> maskOnCurve(const PruningCurve &curve, std::int64_t removed,
                                    const std::function<double(const HeadRef &)> &cost)
{
    const PruningPoint *before = nullptr;
    const PruningPoint *after = nullptr;
    for (const PruningPoint &point : curve.points) {
        if (point.mask.size() != point.pruned)
            continue; // a point of a random band, or one without a mask
        if (point.pruned == removed)
            return point.mask;
        if (point.pruned < removed)
            before = &point;
        else if (!after)
            after = &point;
    }
    if (!before || !after)
        return {};
    std::vector<HeadRef> next;
    for (const HeadRef &head : after->mask) {
        if (!before->mask.isMasked(head))
            next.push_back(head);
    }
    std::stable_sort(next.begin(), next.end(), [&](const HeadRef &a, const HeadRef &b) { return cost(a) < cost(b); });
    HeadMask mask = before->mask;
    for (const HeadRef &head : next) {
        if (mask.size() < removed)
            mask.set(head, true);
    }
    return mask;
}

} // namespace headscope
