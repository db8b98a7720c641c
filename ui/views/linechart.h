#pragma once

#include "ui/charts/linepainter.h"
#include "ui/heatmap/zoomableview.h"

#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope {

/// Lines over a common x axis, in the colours of the window. A click or the arrow keys choose an x at which the first
/// line has a point; where points have names, the mouse and the arrow keys point at them instead.
class LineChart final : public QWidget, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LineChart)
public:
    /// `name`: what is shown, for who cannot see it.
    explicit LineChart(const QString &name, QWidget *parent = nullptr);

    void setSeries(LineSeries series);
    const LineSeries &series() const { return m_series; }
    /// The x that is looked at, and what it is called where it is no number that says itself.
    void setCursor(std::optional<double> x, const QString &name = {});
    /// Shown while there are no lines: why, and what to do.
    void setEmptyText(const QString &text);
    /// What is pointed at, with its name; nothing: none.
    std::optional<LinePoint> pointed() const { return m_pointed; }
    /// Where a point of the plot lies in the widget, as painted last.
    QPointF at(double x, double y) const;

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return !m_series.axes.zoom.isAll(); }

    QSize sizeHint() const override { return {640, 320}; }

Q_SIGNALS:
    void chosen(double x);
    /// A click, or Enter, on a point that has a name.
    void pointChosen(std::size_t line, std::size_t point);
    /// at() moved: what stands below follows.
    void plotMoved();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void describe();
    void step(int points);
    void setPointed(std::optional<LinePoint> pointed);
    std::optional<LinePoint> namedAt(const QPointF &position) const;
    std::vector<LinePoint> namedPoints() const;

    LineSeries m_series;
    std::optional<double> m_cursor;
    QString m_cursorName;
    QString m_emptyText;
    QRectF m_plot;
    std::optional<LinePoint> m_pointed;
};

} // namespace headscope
