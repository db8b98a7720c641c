// What can be done with every view of every page.
#include "ui/heatmap/zoomableview.h"
#include "ui/pages/page.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/headgridview.h"

#include <QAbstractScrollArea>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QWheelEvent>

#include <cmath>

namespace headscope {
namespace {

constexpr double kStep = 1.25; ///< of a notch of the wheel, or a key

ZoomableView *zoomable(QWidget *widget)
{
    return dynamic_cast<ZoomableView *>(widget);
}

/// The view that a widget is, or is the viewport of.
QWidget *viewOf(QWidget *widget, const QWidget *page)
{
    while (widget && widget != page && !zoomable(widget))
        widget = widget->parentWidget();
    return widget == page ? nullptr : widget;
}

QWidget *surfaceOf(QWidget *view)
{
    auto *area = qobject_cast<QAbstractScrollArea *>(view);
    return area ? area->viewport() : view;
}

/// By the keys that zoom everywhere; 0: another key.
double zoomOf(const QKeyEvent &key)
{
    if (!(key.modifiers() & Qt::ControlModifier))
        return 0;
    switch (key.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: // the same key without Shift
        return kStep;
    case Qt::Key_Minus:
        return 1 / kStep;
    default:
        return 0;
    }
}

} // namespace

/// Views may be made at any time: whenever the page is shown, those that there are.
void Page::attachViews()
{
    for (QWidget *widget : findChildren<QWidget *>()) {
        if (!zoomable(widget))
            continue;
        widget->installEventFilter(this);
        surfaceOf(widget)->installEventFilter(this);
        if (auto *grid = qobject_cast<HeadGridView *>(widget); grid && !grid->property("hasPageMenu").toBool()) {
            grid->setProperty("hasPageMenu", true);
            connect(grid, &HeadGridView::menuRequested, this, [this, grid](QMenu *menu) { fillMenu(*menu, grid); });
        }
    }
}

bool Page::eventFilter(QObject *watched, QEvent *event)
{
    auto *widget = qobject_cast<QWidget *>(watched);
    QWidget *view = widget ? viewOf(widget, this) : nullptr;
    if (!view)
        return QWidget::eventFilter(watched, event);
    ZoomableView &zoom = *zoomable(view);
    if (event->type() == QEvent::Wheel && widget == surfaceOf(view)) {
        const auto &wheel = static_cast<const QWheelEvent &>(*event);
        if (wheel.modifiers() & Qt::ControlModifier) {
            zoom.zoomBy(std::pow(kStep, wheel.angleDelta().y() / 120.0), wheel.position());
            return true;
        }
    } else if (event->type() == QEvent::KeyPress && widget == view) {
        const auto &key = static_cast<const QKeyEvent &>(*event);
        if (const double factor = zoomOf(key); factor > 0) {
            zoom.zoomBy(factor, QPointF(surfaceOf(view)->rect().center()));
            return true;
        }
        if (key.key() == Qt::Key_0 && key.modifiers() == Qt::ControlModifier) {
            zoom.fitZoom();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

/// Views without a menu of their own leave it to the page.
void Page::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QWidget *at = event->reason() == QContextMenuEvent::Keyboard ? focusWidget() : childAt(event->pos());
    fillMenu(*menu, viewOf(at, this));
    menu->popup(event->globalPos());
}

/// `view`: that can be zoomed; null: none is pointed at.
void Page::fillMenu(QMenu &menu, QWidget *view)
{
    if (!menu.isEmpty())
        menu.addSeparator();
    const QList<ExportItem> items = exportItems();
    if (items.size() == 1) {
        menu.addAction(tr("Cop&y picture and table"), this, [item = items.front()] { copyToClipboard(item); });
    } else if (!items.isEmpty()) {
        QMenu *copies = menu.addMenu(tr("Cop&y picture and table"));
        for (const ExportItem &item : items)
            copies->addAction(QString(item.name).replace(u'&', QStringLiteral("&&")), this,
                              [item] { copyToClipboard(item); });
    }
    QAction *exporting = menu.addAction(tr("&Export…"), this, &Page::exportRequested);
    exporting->setEnabled(!items.isEmpty());
    if (m_state.currentHead()) {
        QMenu *pages = menu.addMenu(tr("Show the selected heads &on"));
        for (const char *id : {"heads", "domains", "attention", "roles", "map", "pruning"}) {
            const PageInfo *page = findPage(QString::fromLatin1(id));
            if (page)
                pages->addAction(page->title, this, [this, id = page->id] { Q_EMIT pageRequested(id); });
        }
    }
    if (!view)
        return;
    menu.addSeparator();
    const auto zoomBy
        = [view](double factor) { zoomable(view)->zoomBy(factor, QPointF(surfaceOf(view)->rect().center())); };
    menu.addAction(tr("Zoom &in (Ctrl and wheel)"), this, [zoomBy] { zoomBy(kStep * kStep); });
    menu.addAction(tr("Zoom o&ut"), this, [zoomBy] { zoomBy(1 / (kStep * kStep)); });
    QAction *fit = menu.addAction(tr("&Fit (Ctrl+0)"), this, [view] { zoomable(view)->fitZoom(); });
    fit->setEnabled(zoomable(view)->isZoomed());
}

} // namespace headscope
