#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/pages/map/mappainter.h"

#include <vector>

namespace headscope {

/// The map of heads.
class MapChart final : public HeadMarkChart
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MapChart)
public:
    explicit MapChart(QWidget *parent = nullptr);

    const MapPicture &picture() const { return m_picture; }
    void setSeries(MapSeries series);

protected:
    std::vector<HeadRef> heads() const override;
    QString textOf(const HeadRef &head) const override;
    PaintedMarks paintMarks(QPainter &painter, const QRectF &rect) override;

private:
    MapPicture m_picture;
};

} // namespace headscope
