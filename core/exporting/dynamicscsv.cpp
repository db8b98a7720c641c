#include "core/exporting/csv.h"

#include "core/exporting/csvwriter.h"

#include <limits>

namespace headscope {

std::string toCsv(const DynamicsResult &result)
{
    constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
    CsvWriter csv;
    for (const char *column : {"checkpoint", "number", "what", "pruned [heads]", "fraction [0-1]", "score", "relative", "head",
                               "kind", "layer", "head_number", "importance", "delta", "confidence [0-1]"})
        csv << column;
    csv.endLine();
    for (const DynamicsCheckpoint &checkpoint : result.checkpoints) {
        for (const DynamicsPoint &point : checkpoint.curve) {
            csv << checkpoint.name << checkpoint.number << "curve" << point.pruned << point.fraction << point.score
                << point.relative.value_or(kNoNumber);
            for (int column = 0; column < 7; ++column)
                csv << "";
            csv.endLine();
        }
        for (const DynamicsHead &head : checkpoint.heads) {
            csv << checkpoint.name << checkpoint.number << "head" << "" << "" << "" << "" << toText(head.head)
                << headKindName(head.head.kind) << head.head.layer << head.head.head << head.importance
                << head.delta.value_or(kNoNumber) << head.confidence.value_or(kNoNumber);
            csv.endLine();
        }
    }
    return csv.text();
}

} // namespace headscope
