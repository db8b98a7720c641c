#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/charts/scatterpainter.h"

#include <QString>

#include <functional>
#include <vector>

namespace headscope {

/// One mark per head: a measure in-domain against out-of-domain.
class ScatterChart final : public HeadMarkChart
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScatterChart)
public:
    explicit ScatterChart(QWidget *parent = nullptr);

    const ScatterPicture &picture() const { return m_picture; }
    void setSeries(ScatterSeries series);
    /// What is said of a head beyond its two values; nothing until it is set.
    void setTexts(std::function<QString(const HeadRef &)> texts);

protected:
    std::vector<HeadRef> heads() const override;
    QString textOf(const HeadRef &head) const override;
    PaintedMarks paintMarks(QPainter &painter, const QRectF &rect) override;

private:
    ScatterPicture m_picture;
    std::function<QString(const HeadRef &)> m_texts;
};

} // namespace headscope
