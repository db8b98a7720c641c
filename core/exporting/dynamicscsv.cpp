#include "core/exporting/csv.h"

#include "core/exporting/csvwriter.h"

#include <limits>

namespace headscope {

namespace {

void addEmpty(CsvWriter &csv, int fields)
{
    for (int i = 0; i < fields; ++i)
        csv << "";
}

} // namespace

std::string toCsv(const DynamicsResult &result)
{
    constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
    CsvWriter csv;
    for (const char *column :
         {"checkpoint", "number", "what", "pruned", "fraction", "metric", "score", "relative", "head", "kind", "layer",
          "head_number", "importance", "delta", "confidence", "role", "spread"})
        csv << column;
    csv.endLine();
    for (const DynamicsCheckpoint &checkpoint : result.checkpoints) {
        for (const DynamicsPoint &point : checkpoint.curve) {
            csv << checkpoint.name << checkpoint.number << "curve" << point.pruned << point.fraction << result.metric
                << point.score << point.relative.value_or(kNoNumber);
            addEmpty(csv, 9);
            csv.endLine();
        }
        for (const DynamicsHead &head : checkpoint.heads) {
            csv << checkpoint.name << checkpoint.number << "head"
                << ""
                << "" << result.metric;
            addEmpty(csv, 2);
            csv << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head
                << head.importance << head.delta.value_or(kNoNumber) << head.confidence.value_or(kNoNumber)
                << (head.roles.empty() ? std::string() : labelText(head.roles.front())) << "";
            csv.endLine();
        }
        for (const LayerSpread &layer : checkpoint.spreads) {
            csv << checkpoint.name << checkpoint.number << "spread";
            addEmpty(csv, 6);
            csv << headKindName(layer.kind) << layer.layer;
            addEmpty(csv, 5);
            csv << layer.spread;
            csv.endLine();
        }
    }
    return csv.text();
}

} // namespace headscope
