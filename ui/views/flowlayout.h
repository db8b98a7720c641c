#pragma once

#include <QLayout>
#include <QList>
#include <QRect>

namespace headscope {

/// Widgets beside each other in as many rows as they need: none is narrower than what it shows. Those of a row have
/// their middles on one line.
class FlowLayout final : public QLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FlowLayout)
public:
    /// Without margins.
    explicit FlowLayout(QWidget *parent = nullptr);
    ~FlowLayout() override;

    /// Those of a row stand on one line instead.
    void alignAtBottom() { m_atBottom = true; }
    void addItem(QLayoutItem *item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override;    ///< in one row
    QSize minimumSize() const override; ///< of the widest
    void setGeometry(const QRect &rect) override;

private:
    /// Returns the height; `moves`: the items too.
    int arrange(const QRect &rect, bool moves) const;

    QList<QLayoutItem *> m_items;
    bool m_atBottom = false;
};

} // namespace headscope
