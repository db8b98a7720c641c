#pragma once

#include "ui/pages/roles/rolescatterpainter.h"

#include <QWidget>

#include <optional>
#include <set>
#include <vector>

namespace headscope {

/// Relevance, confidence and role of every head. Click selects, dragging a rectangle selects what is in it (Ctrl adds),
/// a double click or Enter activates; arrow keys go from head to head.
class RoleScatterChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleScatterChart)
public:
    explicit RoleScatterChart(QWidget *parent = nullptr);

    const RoleScatterPicture &picture() const { return m_picture; }
    void setSeries(RoleScatterSeries series);
    void setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current);
    void setHovered(const std::optional<HeadRef> &head);
    void setMasked(const HeadMask &mask);
    void setOnlyRole(std::optional<Role> role);
    void setEmptyText(const QString &text);
    /// Of its first mark, after it was painted; nothing when it has none.
    std::optional<QPoint> markPosition(const HeadRef &head) const;

    QSize sizeHint() const override { return {720, 330}; }

Q_SIGNALS:
    void selectionMade(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);
    void hovered(const std::optional<headscope::HeadRef> &head);
    void headActivated(const headscope::HeadRef &head);

protected:
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

    RoleScatterPicture m_picture;
    std::vector<RoleScatterMark> m_marks; ///< as painted last
    QString m_emptyText;
    std::optional<QPointF> m_pressed;
};

} // namespace headscope
