#include "ui/charts/scatterseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct ScatterSeriesWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ScatterChart)
};

/// "r = 0.62 [0.48, 0.73], p < 0.001"
QString coefficientText(const QString &symbol, const Correlation &correlation)
{
    if (std::isnan(correlation.value))
        return ScatterSeriesWords::tr("%1 undefined").arg(symbol);
    const QString p = probabilityText(correlation.p);
    return u"%1 = %2 %3, p %4"_s.arg(symbol, numberText(correlation.value, 2),
                                     intervalText(correlation.interval, 2, false),
                                     p.startsWith(u'<') ? p : u"= "_s + p);
}

} // namespace

ScatterSeries makeScatterSeries(const CompareResult &result, const QString &xName, const QString &yName, double factor)
{
    ScatterSeries series;
    series.measure = QString::fromStdString(result.measure);
    series.xName = xName;
    series.yName = yName;
    series.pearson = result.pearson;
    series.spearman = result.spearman;
    double low = 0;
    double high = 0;
    for (const HeadDifference &head : result.heads) {
        if (!std::isfinite(head.a) || !std::isfinite(head.b))
            continue;
        const ScatterSeries::Point point{head.head, head.a * factor, head.b * factor};
        series.points.push_back(point);
        low = std::min({low, point.x, point.y});
        high = std::max({high, point.x, point.y});
    }
    if (low == high)
        high = low + 1;
    // A margin, so that no point is on the frame.
    const double room = 0.03 * (high - low);
    const double step = roundStep(high - low, 8);
    series.low = low < 0 ? std::floor((low - room) / step) * step : 0;
    series.high = std::ceil((high + room) / step) * step;
    return series;
}

QString correlationText(const ScatterSeries &series)
{
    return correlationText(series.pearson, series.spearman, std::ssize(series.points));
}

QString correlationText(const Correlation &pearson, const Correlation &spearman, std::int64_t heads)
{
    const QString separator = u"   ·   "_s;
    return coefficientText(u"r"_s, pearson) + separator + coefficientText(u"ρ"_s, spearman) + separator + u"n = "_s
         + countText(heads);
}

std::vector<HeadRef> headsWithin(const ScatterSeries &series, const QRectF &area)
{
    std::vector<HeadRef> heads;
    const QRectF wanted = area.normalized();
    for (const ScatterSeries::Point &point : series.points) {
        if (wanted.contains(QPointF(point.x, point.y)))
            heads.push_back(point.head);
    }
    return heads;
}

} // namespace headscope
