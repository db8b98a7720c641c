#pragma once

#include "ui/delegates/headgridpainter.h"
#include "ui/exporting/exporter.h"
#include "ui/heatmap/zoomableview.h"
#include "ui/models/headgridmodel.h"
#include "ui/state/studystate.h"

#include <QAbstractScrollArea>

#include <optional>

class QMenu;

namespace headscope {

/// The layer-by-head grid. Shows a HeadGridModel, selects and masks heads in the shared state.
/// Click selects, Ctrl adds, Shift extends, dragging paints a rectangle; Space or a double click masks;
/// arrows move, P pins, Enter activates.
class HeadGridView final : public QAbstractScrollArea, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadGridView)
public:
    HeadGridView(StudyState &state, HeadGridModel &model, QWidget *parent = nullptr);

    /// One scale for several grids; unset: fits this grid's values.
    void setScale(const std::optional<ColorScale> &scale);
    ColorScale scale() const;

    /// Without its own legend where several grids have one in common.
    void setLegendShown(bool shown);

    /// How layers and heads are ordered.
    void setSorting(const GridSorting &sorting);
    const GridOrder &order() const { return m_geometry.order(); }

    StudyState &state() const { return m_state; }
    const HeadGridModel &model() const { return m_model; }
    const HeadGridGeometry &gridGeometry() const { return m_geometry; }

    GridPicture picture() const; ///< as shown
    /// The grid for export: light, without selection, with its numbers as table.
    ExportItem exportItem() const;
    QRect cellRect(const HeadRef &head) const;                ///< in viewport coordinates
    std::optional<HeadRef> headAt(const QPoint &point) const; ///< in viewport coordinates
    /// The geometry if the view were as large as that.
    HeadGridGeometry geometryIn(const QSize &available) const;

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return m_zoom > 1; }
    /// What can be done with the heads that are selected, of which `head` was pointed at.
    void fillContextMenu(QMenu &menu, const HeadRef &head);

    QSize sizeHint() const override { return {720, 360}; }
    QSize minimumSizeHint() const override { return {220, 160}; }

Q_SIGNALS:
    void zoomChanged();
    void headActivated(const headscope::HeadRef &head); ///< Enter: more of this head
    /// The menu of a head is about to be shown: more may be added.
    void menuRequested(QMenu *menu);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void connectState();
    void relayout();
    double footerHeight() const;
    void updateAccessibleName();
    void announceFocus();
    QPointF toContent(const QPointF &viewportPoint) const;
    QPointF scrollOffset() const;
    void selectCell(const HeadRef &head);
    void click(const HeadRef &head, Qt::KeyboardModifiers modifiers);
    void extendTo(const HeadRef &head);
    void moveCurrent(int columns, int rows, bool extend);
    bool handleMovementKey(const QKeyEvent &event);
    void maskSelection();
    void pinSelection();
    void keepOnly(const HeadRef &head);
    void fillAlikeMenu(QMenu &menu, const HeadCell &cell);

    StudyState &m_state;
    HeadGridModel &m_model;
    std::optional<ColorScale> m_scale;
    GridSorting m_sorting;
    bool m_hasLegend = true;
    double m_zoom = 1; ///< of the room that the grid is laid out in
    HeadGridGeometry m_geometry;
    std::optional<HeadRef> m_anchor; ///< where a Shift selection starts
    std::optional<QPointF> m_press;  ///< content coordinates while the button is down
    std::optional<QRectF> m_band;    ///< rectangle being dragged, content coordinates
};

} // namespace headscope
