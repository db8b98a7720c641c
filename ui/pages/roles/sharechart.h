#pragma once

#include "ui/charts/plotframe.h"
#include "ui/heatmap/zoomableview.h"
#include "ui/pages/roles/sharepainter.h"

#include <QWidget>

#include <vector>

namespace headscope {

/// Bars of one head's shares in the window, or a sentence that says why there are none.
class ShareChart final : public QWidget, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ShareChart)
public:
    explicit ShareChart(const QString &accessibleName, QWidget *parent = nullptr);

    /// `role`: whose colour marks the bars that make a label.
    void setSeries(ShareSeries series, Role role);
    void setEmptyText(const QString &text);
    const ShareSeries &series() const { return m_series; }

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return !m_zoom.isAll(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    ShareSeries m_series;
    Role m_role = Role::Positional;
    QString m_emptyText;
    PlotZoom m_zoom;
    std::vector<QRectF> m_places; ///< as painted last
};

} // namespace headscope
