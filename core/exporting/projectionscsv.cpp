#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <limits>

namespace headscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void addCurve(CsvWriter &csv, const EnergyCurve &curve)
{
    csv << toText(curve.matrix) << static_cast<std::int64_t>(curve.energy.size()) << curve.effectiveRank
        << curve.stableRank << curve.for50 << curve.for90 << curve.for95 << curve.for99;
}

} // namespace

std::string toCsv(const EnergyResult &result)
{
    CsvWriter csv;
    for (const char *column :
         {"head", "kind", "layer", "head_number", "matrix", "dimensions", "effective_rank", "stable_rank", "for_50",
          "for_90", "for_95", "for_99", "random_99", "content", "context"})
        csv << column;
    csv.endLine();
    for (const LayerEnergy &layer : result.layers) {
        for (std::size_t i = 0; i < layer.curves.size(); ++i) {
            csv << "" << headKindName(layer.kind) << layer.layer << "";
            addCurve(csv, layer.curves[i]);
            csv << layer.random[i].for99 << kNone << kNone;
            csv.endLine();
        }
    }
    for (const HeadEnergy &head : result.heads) {
        for (const EnergyCurve &curve : head.curves) {
            csv << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head;
            addCurve(csv, curve);
            csv << "" << head.content.value_or(kNone) << head.context.value_or(kNone);
            csv.endLine();
        }
    }
    return csv.text();
}

std::string toCsv(const CollaborateResult &result)
{
    CsvWriter csv;
    for (const char *column :
         {"width",         "method",     "order",       "pruned",      "parameters",     "score_parameters",
          "compression",   "break_even", "error",       "logit_error", "divergence",     "seconds",
          "metric",        "score",      "delta",       "ci_low",      "ci_high",        "delta_ci_low",
          "delta_ci_high", "p",          "other_score", "on_front",    "other_on_front", "multiply_adds",
          "length"})
        csv << column;
    csv.endLine();
    for (const SharedPoint &point : result.points) {
        csv << point.width << toText(point.method) << toText(point.order) << point.pruned << point.parameters
            << point.scoreParameters << point.compression << point.breakEven.value_or(kNone) << point.error
            << point.logitError << point.divergence << point.seconds() << result.metric << point.score << point.delta
            << (point.interval ? point.interval->low : kNone) << (point.interval ? point.interval->high : kNone)
            << (point.paired ? point.paired->interval.low : kNone)
            << (point.paired ? point.paired->interval.high : kNone) << (point.paired ? point.paired->p : kNone)
            << point.otherScore.value_or(kNone) << (point.onFront ? "yes" : "no")
            << (point.otherScore ? (point.otherOnFront ? "yes" : "no") : "")
            << (result.length > 0 ? point.multiplyAdds : kNone) << result.length;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
