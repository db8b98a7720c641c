#pragma once

#include "ui/charts/pruningpainter.h"
#include "ui/heatmap/zoomableview.h"

#include <QChartView>

#include <optional>
#include <vector>

namespace headscope {

/// Curves of score against heads removed, with the slider's line in it. The line can be dragged here too, or
/// moved by the arrow keys.
class PruningChart final : public QChartView, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PruningChart)
public:
    explicit PruningChart(QWidget *parent = nullptr);

    const PruningPicture &picture() const { return m_picture; }
    void setSeries(PruningSeries series);
    /// Inside is above where the chart is too low for it.
    void setLegend(PruningPicture::Legend legend);
    /// Nothing hides the line.
    void setSlider(std::optional<double> removed);
    void setLiveScores(std::vector<LiveScore> scores);
    void setPins(std::vector<PinnedPlace> pins);
    /// Shown while there are no curves: why, and what to do.
    void setEmptyText(const QString &text);

    /// Horizontal ends of the x axis, in this widget's coordinates.
    QPair<double, double> axisEnds() const;

    /// Whether the mouse holds the line.
    bool isDragging() const { return m_dragging; }

    /// Of the scores only: below, the slider stands under all heads.
    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return m_picture.zoomShare < 1; }
    /// What the curves say at a place: "43 heads removed; in: Importance 50.7 [49.0, 52.3]; …"; empty: no curve.
    QString textAt(const QPointF &position) const;

    QSize sizeHint() const override { return {760, 460}; }

Q_SIGNALS:
    /// The x axis moved: the slider under it follows.
    void axisMoved();
    void dragged(int removed);
    void dragEnded();

protected:
    bool viewportEvent(QEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;

private:
    void rebuild();
    void replaceChart();
    int removedAt(const QPointF &position) const;
    void describe();

    PruningPicture m_picture;
    QString m_emptyText;
    PruningPicture::Legend m_legend = PruningPicture::Legend::Above; ///< as wanted
    bool m_dragging = false;
};

} // namespace headscope
