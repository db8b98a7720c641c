#pragma once

#include "ui/charts/scatterpainter.h"

#include <QChartView>

#include <optional>
#include <set>

namespace headscope {

/// One point per head: a measure in-domain against out-of-domain. Click selects, dragging a rectangle selects what is
/// in it (Ctrl adds), the mouse over a point shows its head; arrow keys move between points.
class ScatterChart final : public QChartView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScatterChart)
public:
    explicit ScatterChart(QWidget *parent = nullptr);

    const ScatterPicture &picture() const { return m_picture; }
    void setSeries(ScatterSeries series);
    void setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current);
    void setHovered(const std::optional<HeadRef> &head);
    void setMasked(const HeadMask &mask);
    void setEmptyText(const QString &text);

    /// Where a head's point is, in viewport coordinates; nothing when it has none.
    std::optional<QPoint> pointPosition(const HeadRef &head) const;

    QSize sizeHint() const override { return {420, 420}; }

Q_SIGNALS:
    void selectionMade(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);
    void hovered(const std::optional<headscope::HeadRef> &head);

protected:
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    bool viewportEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void describe();
    void rebuild();
    const ScatterSeries::Point *pointAt(const QPoint &position) const;
    const ScatterSeries::Point *pointOf(const HeadRef &head) const;
    void finishBrush(bool add);
    void stepSelection(int step);

    ScatterPicture m_picture;
    QString m_emptyText;
    std::optional<QPointF> m_pressed; ///< in scene coordinates
};

} // namespace headscope
