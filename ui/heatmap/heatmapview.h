#pragma once

#include "ui/heatmap/heatmappainter.h"
#include "ui/heatmap/slantedlabels.h"
#include "ui/heatmap/zoomableview.h"

#include <QAbstractScrollArea>
#include <QTimer>

#include <optional>

namespace headscope {

/// Shows a heat map: crosshair and exact weight under the mouse or under the arrow keys.
class HeatMapView final : public QAbstractScrollArea, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeatMapView)
public:
    explicit HeatMapView(QWidget *parent = nullptr);

    const HeatMapPicture &picture() const { return m_picture; }
    HeatMapGeometry geometry() const; ///< as shown
    /// The palette of `picture` is replaced by the one that matches the widget.
    void setPicture(HeatMapPicture picture);
    /// Shown while the table is empty: why it is, and what to do.
    void setEmptyText(const QString &text);
    /// Weight under the crosshair, as shown.
    QString readout() const;
    std::optional<QPoint> hoveredCell() const { return m_hover; }

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return m_zoom > 1; }

    QSize sizeHint() const override { return {520, 480}; }

Q_SIGNALS:
    void hoverChanged();

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void updateScrollBars();
    void setHover(std::optional<QPoint> cell);
    void moveHover(int columns, int rows);
    void bringIntoView(const QPoint &cell);

    void rebuild();
    void makeLabels();
    void describe();

    HeatMapPicture m_picture;
    QImage m_cells;         ///< of the picture; null: to be made when it is painted
    SlantedLabels m_labels; ///< of its columns, made a few at a time
    QTimer m_labelTimer;
    HeatMapMargins m_margins; ///< of the picture, in this font
    QString m_emptyText;
    double m_zoom = 1;
    std::optional<QPoint> m_hover; ///< (column, row)
};

} // namespace headscope
