#include "ui/views/flowlayout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace headscope {

FlowLayout::FlowLayout(QWidget *parent) : QLayout(parent)
{
    setContentsMargins({});
    setSpacing(6);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

void FlowLayout::addItem(QLayoutItem *item)
{
    m_items << item;
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize wanted = item->sizeHint();
        size = QSize(size.width() + (size.width() > 0 ? spacing() : 0) + wanted.width(),
                     std::max(size.height(), wanted.height()));
    }
    return size.grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    }
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect &rect, bool moves) const
{
    const QRect room = rect.marginsRemoved(contentsMargins());
    const int rowGap = std::max(spacing() / 2, 2);
    int y = room.top();
    for (qsizetype first = 0; first < m_items.size();) {
        int x = 0;
        int height = 0;
        qsizetype last = first;
        for (; last < m_items.size(); ++last) {
            if (m_items[last]->isEmpty())
                continue;
            const QSize wanted = m_items[last]->sizeHint();
            const int end = x + (x > 0 ? spacing() : 0) + wanted.width();
            if (x > 0 && end > room.width())
                break;
            x = end;
            height = std::max(height, wanted.height());
        }
        int at = 0;
        for (qsizetype i = first; moves && i < last; ++i) {
            if (m_items[i]->isEmpty())
                continue;
            const QSize wanted = m_items[i]->sizeHint();
            const int above = (height - wanted.height()) / (m_atBottom ? 1 : 2);
            const QRect place(at, y + above - room.top(), std::min(wanted.width(), room.width()), wanted.height());
            at += wanted.width() + spacing();
            m_items[i]->setGeometry(
                QStyle::visualRect(parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight, room,
                                   place.translated(room.topLeft())));
        }
        first = last;
        y += height + (last < m_items.size() && height > 0 ? rowGap : 0);
    }
    return y - rect.top() + contentsMargins().bottom();
}

} // namespace headscope
