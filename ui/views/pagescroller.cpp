#include "ui/views/pagescroller.h"

#include <QEvent>
#include <QScrollBar>

namespace headscope {

PageScroller::PageScroller(QWidget *page, QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // keys are the page's
    setWidget(page);
}

void PageScroller::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    fit();
}

bool PageScroller::eventFilter(QObject *object, QEvent *event)
{
    const bool handled = QScrollArea::eventFilter(object, event);
    if (object == widget() && event->type() == QEvent::LayoutRequest)
        fit();
    return handled;
}

/// As large as there is room, but no smaller than it can be. (A "resizable" widget of a scroll area would get the
/// height that it would like to have as soon as a label in it wraps.)
void PageScroller::fit()
{
    const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    QSize room = maximumViewportSize();
    const int across = verticalScrollBar()->sizeHint().width();
    const int down = horizontalScrollBar()->sizeHint().height();
    bool wide = least.width() > room.width();
    const bool high = least.height() > room.height() - (wide ? down : 0);
    wide = wide || least.width() > room.width() - (high ? across : 0);
    room -= QSize(high ? across : 0, wide ? down : 0);
    widget()->resize(room.expandedTo(least));
}

} // namespace headscope
