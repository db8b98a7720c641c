#include "ui/pages/page.h"

namespace headscope {

Page::Page(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller)
{
    connect(this, &Page::headActivated, this, [this] { Q_EMIT pageRequested(QStringLiteral("attention")); });
}

QList<ExportItem> Page::exportItems()
{
    bringUpToDate();
    return makeExportItems();
}

QList<ExportItem> Page::allExportItems()
{
    bringUpToDate();
    return makeAllExportItems();
}

void Page::bringUpToDate()
{
    if (!m_dirty)
        return;
    m_dirty = false;
    ++m_refreshes;
    refreshNow();
}

void Page::markDirty()
{
    m_dirty = true;
    if (isVisible())
        bringUpToDate();
}

void Page::refreshWhenShown(const std::function<void()> &part)
{
    if (!isVisible() || m_dirty)
        return markDirty();
    ++m_refreshes;
    part();
}

void Page::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    bringUpToDate();
    attachViews();
}

std::vector<StudyController::Request> Page::missing(Domain, bool)
{
    return {};
}

void Page::computeMissing(Domain domain, bool shown)
{
    m_controller.works().startAll(missing(domain, shown));
}

bool Page::isOwn(const QString &) const
{
    return false;
}

void Page::openPath(const QString &) { }

} // namespace headscope
