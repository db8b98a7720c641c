#pragma once

#include "core/base/headref.h"
#include "ui/charts/plotframe.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/heatmap/zoomableview.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals

#include <QPointF>
#include <QRectF>
#include <QWidget>

#include <optional>
#include <set>
#include <vector>

class QPainter;

namespace headscope {

/// How the heads of a chart stand out.
struct HeadMarkLooks
{
    std::set<HeadRef> selection;
    std::optional<HeadRef> current;
    std::optional<HeadRef> hovered;
    std::set<HeadRef> masked;
    QRectF brush; ///< null = none
    PlotZoom zoom{};
    ViewPalette palette = ViewPalette::light();
};

/// Where a head was painted; it may have several marks.
struct HeadMark
{
    HeadRef head;
    QPointF centre;
};

/// What a chart has painted: its marks, and the plot that can be zoomed (null: none).
struct PaintedMarks
{
    std::vector<HeadMark> marks{};
    QRectF plot{};
};

/// The rings around a mark of `size` pixels of what is selected, current or hovered. Whether its name is to be shown.
bool paintMarkRings(QPainter &painter, const HeadMark &mark, double size, const HeadMarkLooks &looks);
/// Names of heads beside their marks, over everything else; none goes beyond `right`.
void paintMarkName(QPainter &painter, const HeadMark &mark, double right, const ViewPalette &palette);
/// The rectangle that is being dragged.
void paintBrush(QPainter &painter, const HeadMarkLooks &looks);

/// A chart with a mark for every head. Click selects, dragging a rectangle selects what is in it (Ctrl adds), a double
/// click or Enter activates; arrow keys move between heads. A plot can be zoomed.
class HeadMarkChart : public QWidget, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadMarkChart)
public:
    /// `looks`: of the picture that the chart paints; must outlive the chart, and is first read after construction.
    HeadMarkChart(HeadMarkLooks &looks, QWidget *parent);

    void setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current);
    void setHovered(const std::optional<HeadRef> &head);
    void setMasked(const HeadMask &mask);
    /// Shown while there are no heads: why, and what to do.
    void setEmptyText(const QString &text);
    /// Of its first mark, after it was painted; nothing when it has none.
    std::optional<QPoint> markPosition(const HeadRef &head) const;
    QRectF plot() const { return m_painted.plot; } ///< as it was painted last; null: it has none, or was not painted

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return !m_looks.zoom.isAll(); }

    QSize sizeHint() const override { return {720, 330}; }

Q_SIGNALS:
    void selectionMade(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);
    void hovered(const std::optional<headscope::HeadRef> &head);
    void headActivated(const headscope::HeadRef &head);

protected:
    /// All that are shown, in the order of the arrow keys.
    virtual std::vector<HeadRef> heads() const = 0;
    /// The description of a head.
    virtual QString textOf(const HeadRef &head) const = 0;
    virtual PaintedMarks paintMarks(QPainter &painter, const QRectF &rect) = 0;
    /// The heads have changed.
    void headsChanged();

    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void describe();
    std::optional<HeadRef> headAt(const QPointF &position) const;
    void stepSelection(int step);

    HeadMarkLooks &m_looks;
    PaintedMarks m_painted; ///< last
    QString m_emptyText;
    std::optional<QPointF> m_pressed;
};

} // namespace headscope
