#include "ui/charts/histogramseries.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {

bool isComparable(const AblationResult &result, std::int64_t heads)
{
    return !result.manifest.partial
        || (std::ssize(result.heads) >= heads && std::ranges::all_of(result.heads, [&](const HeadAblation &head) {
                return head.examples == 0 || head.examples == result.examples;
            }));
}

HistogramSeries makeHistogramSeries(const AblationResult &result, const Significance &by, int bins)
{
    HistogramSeries series;
    series.significance = by;
    series.metric = QString::fromStdString(result.baseline.name);
    const ValueFormat format = metricFormat(series.metric);
    series.unit = unitText(format.suffix.trimmed(), result.baseline.better);
    series.baseline = result.baseline.value * format.factor;
    double low = series.baseline;
    double high = series.baseline;
    for (const HeadAblation &head : result.heads) {
        if (!std::isfinite(head.score))
            continue;
        low = std::min(low, head.score * format.factor);
        high = std::max(high, head.score * format.factor);
        ++series.heads;
    }
    if (series.empty())
        return series;
    const double width = low == high ? 1 : roundStep(high - low, std::max(bins, 1));
    // Scores such as 80.5 % are meant to begin the bin of that name, however they are rounded.
    const auto place = [&](double score) { return std::floor(score / width + 1e-9); };
    const double first = place(low);
    const auto count = static_cast<std::size_t>(place(high) - first) + 1;
    for (std::size_t i = 0; i < count; ++i)
        series.bins.push_back({(first + static_cast<double>(i)) * width, (first + static_cast<double>(i) + 1) * width});
    for (const HeadAblation &head : result.heads) {
        if (!std::isfinite(head.score))
            continue;
        HistogramSeries::Bin &bin = series.bins[static_cast<std::size_t>(place(head.score * format.factor) - first)];
        ++bin.heads;
        bin.significant += by.holds(head.p, head.pAdjusted, head.discoveryP).value_or(false);
    }
    return series;
}

std::string histogramCsv(const HistogramSeries &series)
{
    CsvText csv("metric,low,high,heads,significant,baseline");
    for (const HistogramSeries::Bin &bin : series.bins) {
        csv << series.metric.toStdString() << bin.low << bin.high << bin.heads << bin.significant << series.baseline;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
