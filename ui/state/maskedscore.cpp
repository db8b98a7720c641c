#include "ui/state/maskedscore.h"

#include <algorithm>

namespace headscope {

namespace {
std::optional<MaskedScore> fromScore(const StudyState &state, Domain domain, const EvaluationResult &result)
{
    if (result.metrics.empty() || result.mask != state.mask())
        return std::nullopt;
    const MetricValue &metric = result.primary();
    MaskedScore score{.metric = metric.name,
                      .value = metric.value,
                      .interval = metric.interval,
                      .examples = result.examples,
                      .total = result.manifest.totalExamples,
                      .partial = result.manifest.partial,
                      .manifest = result.manifest};
    const auto &whole = state.results(domain).baseline;
    if (result.against && result.against->mask.empty()) {
        score.delta = result.against->delta;
        score.deltaInterval = result.against->interval;
    } else if (!result.mask.empty() && !score.partial && whole && !whole->metrics.empty()
               && whole->examples == result.examples
               && state.isStale(domain, whole->manifest) == state.isStale(domain, result.manifest)) {
        // Only over the same examples, and of the same model, is the difference one of the masks.
        score.delta = metric.value - whole->primary().value;
    }
    return score;
}

std::optional<MaskedScore> fromCurves(const StudyState &state, Domain domain)
{
    for (const auto &result : state.results(domain).pruning) {
        if (result->manifest.partial || state.isStale(domain, result->manifest))
            continue;
        for (const PruningCurve &curve : result->curves) {
            const auto point = std::ranges::find(curve.points, state.mask(), &PruningPoint::mask);
            if (curve.randomOrders > 0 || curve.rescaled || point == curve.points.end()
                || point == curve.points.begin())
                continue;
            return MaskedScore{.metric = result->metric,
                               .value = point->score,
                               .interval = point->interval,
                               .delta = point->score - curve.points.front().score,
                               .deltaInterval = point->paired ? std::optional(point->paired->interval) : std::nullopt,
                               .examples = result->examples,
                               .total = result->manifest.totalExamples,
                               .manifest = result->manifest};
        }
    }
    return std::nullopt;
}

std::optional<MaskedScore> fromSweep(const StudyState &state, Domain domain)
{
    const auto &sweep = state.results(domain).ablation;
    if (!sweep || sweep->manifest.partial || sweep->replacement != Replacement::Zero || sweep->rescaled
        || state.mask().size() != 1 || state.isStale(domain, sweep->manifest))
        return std::nullopt;
    const auto head = std::ranges::find(sweep->heads, *state.mask().begin(), &HeadAblation::head);
    if (head == sweep->heads.end() || head->examples < sweep->examples)
        return std::nullopt;
    return MaskedScore{.metric = sweep->baseline.name,
                       .value = head->score,
                       .delta = head->delta,
                       .deltaInterval = head->interval,
                       .examples = sweep->examples,
                       .total = sweep->manifest.totalExamples,
                       .manifest = sweep->manifest};
}
} // namespace

std::optional<MaskedScore> maskedScore(const StudyState &state, Domain domain)
{
    const DomainResults &results = state.results(domain);
    const bool masked = !state.mask().empty();
    const auto &own = masked ? results.masked : results.baseline;
    auto score = own ? fromScore(state, domain, *own) : std::nullopt;
    if (!masked || (score && !score->partial))
        return score;
    for (const auto &other : {fromCurves(state, domain), fromSweep(state, domain)}) {
        if (other)
            return other;
    }
    return score;
}

} // namespace headscope
