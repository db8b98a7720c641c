#pragma once

#include "core/metrics/correlation.h"
#include "ui/charts/headmarkchart.h"
#include "ui/views/headmeasures.h"

#include <QRectF>
#include <QString>

#include <string>
#include <vector>

class QPainter;

namespace headscope {

/// Two measures of the heads that have both.
struct MeasureScatterSeries
{
    struct Point
    {
        MeasuredHead x, y;
    };
    HeadMeasure x{}, y{}; ///< without their heads
    std::vector<Point> points{};
    Correlation pearson{}, spearman{};
    bool empty() const { return points.empty(); }
};

MeasureScatterSeries makeMeasureScatter(const HeadMeasure &x, const HeadMeasure &y);

/// "cross.1.3: Ablation Δ BLEU −10.21 [−12.18, −8.34], 500 examples; Importance 0.402 …"
QString measurePointText(const MeasureScatterSeries &series, const HeadRef &head);
/// A line per head: both values, their intervals and counts.
std::string measureScatterCsv(const MeasureScatterSeries &series);

struct MeasureScatterPicture : HeadMarkLooks
{
    MeasureScatterSeries series;
};

/// A mark for every head: its colour says the layer, its shape the kind of attention. Coefficients and the legend stand
/// above.
PaintedMarks paintMeasureScatter(QPainter &painter, const QRectF &rect, const MeasureScatterPicture &picture);

/// Any two measures of the heads against each other.
class MeasureScatterChart final : public HeadMarkChart
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MeasureScatterChart)
public:
    explicit MeasureScatterChart(QWidget *parent = nullptr);

    const MeasureScatterPicture &picture() const { return m_picture; }
    void setSeries(MeasureScatterSeries series);

protected:
    std::vector<HeadRef> heads() const override;
    QString textOf(const HeadRef &head) const override;
    PaintedMarks paintMarks(QPainter &painter, const QRectF &rect) override;

private:
    MeasureScatterPicture m_picture;
};

} // namespace headscope
