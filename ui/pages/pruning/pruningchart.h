#pragma once

#include "ui/charts/pruningpainter.h"

#include <QChartView>

#include <optional>
#include <vector>

namespace headscope {

/// Curves of score against heads removed, with the slider's line in it. The line can be dragged here too, or
/// moved by the arrow keys.
class PruningChart final : public QChartView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PruningChart)
public:
    explicit PruningChart(QWidget *parent = nullptr);

    const PruningPicture &picture() const { return m_picture; }
    void setSeries(PruningSeries series);
    /// Without a legend where a table says which curve is which.
    void setLegendShown(bool shown);
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

    QSize sizeHint() const override { return {760, 460}; }

Q_SIGNALS:
    /// The x axis moved: the slider under it follows.
    void axisMoved();
    void dragged(int removed);
    void dragEnded();

protected:
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
    int removedAt(const QPointF &position) const;
    void describe();

    PruningPicture m_picture;
    QString m_emptyText;
    bool m_dragging = false;
};

} // namespace headscope
