#pragma once

#include "ui/charts/matrixpainter.h"
#include "ui/charts/plotframe.h"
#include "ui/heatmap/zoomableview.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals

#include <QWidget>

#include <optional>
#include <set>

namespace headscope {

/// Values of pairs of heads in the order of their dendrogram. A click on a cell selects its two heads, on a branch all
/// that it holds (Ctrl adds); arrow keys move between cells, Enter selects.
class MatrixChart final : public QWidget, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MatrixChart)
public:
    /// `name`: what is shown, for who cannot see it.
    explicit MatrixChart(const QString &name, QWidget *parent = nullptr);

    const MatrixPicture &picture() const { return m_picture; }
    const MatrixGeometry &geometry() const { return m_geometry; } ///< as painted last
    void setSeries(MatrixSeries series);
    void setSelection(const std::set<HeadRef> &selection);
    void setHovered(const std::optional<HeadRef> &head);
    void setEmptyText(const QString &text);
    /// "encoder.2.6 and encoder.3.1: 0.123"; empty where no cell is looked at.
    QString readout() const;

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return !m_zoom.isAll(); }

    QSize sizeHint() const override { return {420, 480}; }

Q_SIGNALS:
    void selectionMade(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);
    void hovered(const std::optional<headscope::HeadRef> &head);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    const HeadRef &leaf(int place) const { return m_picture.series.leaves[static_cast<std::size_t>(place)]; }
    void setCell(std::optional<QPoint> cell);
    void select(std::set<HeadRef> heads, bool add);
    void selectCell(bool add);
    void describe();

    MatrixPicture m_picture;
    MatrixGeometry m_geometry;
    PlotZoom m_zoom;
    QImage m_cells; ///< of the picture; null: to be made when it is painted
    QString m_emptyText;
};

} // namespace headscope
