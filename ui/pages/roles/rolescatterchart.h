#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/pages/roles/rolescatterpainter.h"

#include <optional>
#include <vector>

namespace headscope {

/// Relevance, confidence and role of every head.
class RoleScatterChart final : public HeadMarkChart
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleScatterChart)
public:
    explicit RoleScatterChart(QWidget *parent = nullptr);

    const RoleScatterPicture &picture() const { return m_picture; }
    void setSeries(RoleScatterSeries series);
    void setOnlyRole(std::optional<Role> role);

protected:
    std::vector<HeadRef> heads() const override;
    QString textOf(const HeadRef &head) const override;
    PaintedMarks paintMarks(QPainter &painter, const QRectF &rect) override;

private:
    RoleScatterPicture m_picture;
};

} // namespace headscope
