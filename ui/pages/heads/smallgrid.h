#pragma once

#include "ui/delegates/headgridpainter.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <optional>

namespace headscope {

/// A small grid without numbers: the heads under another measure or on another data set. Heads are selected and
/// followed by the mouse as in the large grid; the title, a double click or Enter puts it in the large grid's place.
class SmallGrid final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SmallGrid)
public:
    SmallGrid(StudyState &state, Measure measure, DomainView view, QWidget *parent = nullptr);

    Measure measure() const { return m_measure; }
    DomainView view() const { return m_view; }
    const GridContent &content() const { return m_content; }
    void setContent(GridContent content);
    /// Uses the layout of another grid.
    void setOrder(const GridOrder &order);
    QRect cellRect(const HeadRef &head) const;
    /// Height of the lines above the cells.
    static int titleHeight(const QFontMetrics &metrics);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QString title() const;
    QString sentence(const HeadRef &head) const;
    HeadGridGeometry cellsGeometry() const;
    std::optional<HeadRef> headAt(const QPointF &point) const;
    void moveCurrent(int columns, int rows);
    void showLarge();

    StudyState &m_state;
    Measure m_measure;
    DomainView m_view;
    GridContent m_content;
    ColorScale m_scale;
    GridOrder m_order;
};

} // namespace headscope
