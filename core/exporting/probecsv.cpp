#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

namespace headscope {

std::string toCsv(const ProbeResult &result)
{
    CsvWriter csv;
    csv.header({"probe", "chosen", "accuracy", "ci_low", "ci_high", "weights", "head", "kind", "layer", "head_number",
                "from_dependent", "from_head"});
    const auto addEmpty = [&csv](int columns) {
        for (int i = 0; i < columns; ++i)
            csv << "";
    };
    for (const ProbeScore &probe : result.probes) {
        csv << toText(probe.kind) << probe.chosen << probe.accuracy << probe.interval.low << probe.interval.high
            << probe.weights;
        addEmpty(6);
        csv.endLine();
    }
    for (const ProbeHead &head : result.heads) {
        addEmpty(6);
        csv << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head
            << head.fromDependent << head.fromHead;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
