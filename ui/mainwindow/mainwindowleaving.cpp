// What is dropped on the window, and closing it.
#include "ui/mainwindow/mainwindow.h"

#include "ui/guide/guidewindow.h"
#include "ui/mainwindow/pagerow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/models/plaintip.h"
#include "ui/state/trainingcontroller.h"
#include "ui/views/foldingside.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QLocale>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace headscope {

void MainWindow::closeEvent(QCloseEvent *event)
{
    const bool mayClose = std::exchange(m_mayClose, false);
    if (!mayClose && m_settings && (m_files->losesWork() || m_controller.files().hasUnkept())) {
        event->ignore();
        m_files->whenDiscardAccepted(tr("Quit"), [this] {
            m_controller.files().whenKept([this] {
                m_mayClose = true;
                close();
            });
        });
        return;
    }
    if (m_settings) {
        QSettings settings;
        for (const SideDock *dock : {m_studyDock, m_inspectorDock})
            dock->save(settings);
        for (const FoldingSide *side : m_sides)
            side->save(settings);
        settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
        if (m_workspaceShown)
            settings.setValue(QStringLiteral("window/state"), saveState(kLayoutVersion));
    }
    if (m_guide)
        m_guide->close();
    QMainWindow::closeEvent(event);
}

void MainWindow::openAndShow(const QString &folder)
{
    m_headsAsked = true;
    openPaths({folder});
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    QStringList paths;
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    openPaths(paths);
}

void MainWindow::showPage(Page &page)
{
    m_stack->setCurrentWidget(m_pageStack);
    m_pageRow->setCurrent(static_cast<int>(m_pages.indexOf(&page)));
}

} // namespace headscope
