#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <algorithm>
#include <limits>

namespace headscope {

std::string toCsv(const DetectResult &result)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "detector", "score", "ci_low", "ci_high", "p", "p_adjusted",
                "sequences", "label", "sink_queries", "copying_gain"});
    for (const HeadDetection &head : result.heads) {
        for (const DetectorScore &score : head.detectors) {
            const bool isLabel = std::ranges::find(head.labels, score.detector) != head.labels.end();
            csv << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head
                << toText(score.detector) << score.score << score.interval.low << score.interval.high << score.p
                << score.pAdjusted << score.sequences << (isLabel ? "yes" : "no")
                << (score.detector == HeadDetector::FirstToken ? head.sinkQueries.value_or(kNone) : kNone)
                << (score.detector == HeadDetector::Copying ? head.copyingGain.value_or(kNone) : kNone);
            csv.endLine();
        }
    }
    return csv.text();
}

} // namespace headscope
