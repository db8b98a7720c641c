#pragma once

#include "core/results/compareresult.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// What the scatter of one measure on two data sets draws.
struct ScatterSeries
{
    struct Point
    {
        HeadRef head;
        double x = 0; ///< in-domain, as shown
        double y = 0; ///< out-of-domain
    };
    QString measure; ///< "Ablation Δ BLEU"
    QString unit;    ///< on the axes; empty where the measure says it
    QString xName;   ///< data set of the x axis
    QString yName;
    std::vector<Point> points;
    Correlation pearson;
    Correlation spearman;
    double low = -1; ///< both axes have the same round ends, so that the identity line is the diagonal
    double high = 1;
    bool empty() const { return points.empty(); }
};

/// `factor`: from values of the result to what is shown.
ScatterSeries makeScatterSeries(const CompareResult &result, const QString &xName, const QString &yName,
                                double factor = 1);

/// "r = 0.62 [0.48, 0.73], p < 0.001 · ρ = … · n = 96": by locale.
QString correlationText(const ScatterSeries &series);
QString correlationText(const Correlation &pearson, const Correlation &spearman, std::int64_t heads);

/// Heads whose points lie in `area`, given in data coordinates.
std::vector<HeadRef> headsWithin(const ScatterSeries &series, const QRectF &area);

} // namespace headscope
