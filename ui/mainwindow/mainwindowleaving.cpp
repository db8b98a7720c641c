// Closing the window, and opening something else in it: asks before anything is lost.
#include "ui/mainwindow/mainwindow.h"

#include "ui/guide/guidewindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/models/plaintip.h"
#include "ui/state/trainingcontroller.h"
#include "ui/views/foldingside.h"

#include <QCloseEvent>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace headscope {

namespace {
/// The analysis that has been running longest of those that would be lost: sweeps and training go on where they were.
std::optional<JobInfo> longJob(const JobQueue &queue, double seconds)
{
    std::optional<JobInfo> longest;
    for (const JobInfo &job : queue.jobs()) {
        const bool isAnalysis = job.spec.lane == JobLane::Batch || job.spec.lane == JobLane::Sweep;
        const bool counts = job.isActive() && !job.cancelling && isAnalysis && !job.spec.keepsItsWork
                         && job.spec.tag != QLatin1String(kTrainingTag) && job.seconds >= seconds;
        if (counts && (!longest || job.seconds > longest->seconds))
            longest = job;
    }
    return longest;
}
} // namespace

/// A question before something is lost: the button with the `verb` continues; Cancel is the default.
QMessageBox *MainWindow::lossQuestion(const QString &text, const QString &details, const QString &verb,
                                      const std::function<void()> &next)
{
    auto *box = new QMessageBox(QMessageBox::Warning, tr("Headscope"), text, QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("lossQuestion"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(plainTip(details));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box->addButton(verb, QMessageBox::DestructiveRole), &QPushButton::clicked, this, next);
    return box;
}

/// Asks if an analysis that has been running for long would be lost; `what` is the verb of the question.
void MainWindow::whenDiscardAccepted(const QString &what, const std::function<void()> &next)
{
    const auto job = m_settings ? longJob(m_controller.queue(), m_longSeconds) : std::nullopt;
    if (!job) {
        next();
        return;
    }
    lossQuestion(
        tr("%1 while \"%2\" is running?").arg(what, job->spec.name),
        tr("It has been running for %1 minutes and cannot be resumed: it would begin again. All finished results are "
           "kept, and so is the finished part of sweeps.")
            .arg(QLocale().toString(job->seconds / 60, 'f', 0)),
        what, next)
        ->open();
}

/// Results that could be saved neither in a study file nor in the folder of autosaved studies.
void MainWindow::askToDiscard(const QString &error, const std::function<void()> &next)
{
    auto *box
        = lossQuestion(tr("Continue, and lose the results that could not be saved?"), error, tr("Lose them"), next);
    const auto *save = box->addButton(tr("Save study as…"), QMessageBox::ActionRole);
    connect(save, &QPushButton::clicked, this, &MainWindow::saveAs);
    box->open();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    const bool mayClose = std::exchange(m_mayClose, false);
    if (!mayClose && m_settings && (longJob(m_controller.queue(), m_longSeconds) || m_controller.hasUnkept())) {
        event->ignore();
        whenDiscardAccepted(tr("Quit"), [this] {
            m_controller.whenKept([this] {
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

void MainWindow::askToDeleteKept()
{
    lossQuestion(tr("Delete the autosaved studies?"), tr("Results that are saved nowhere else are lost."),
                 tr("Delete them"), [this] { m_controller.keptStudies().forgetAll(); })
        ->open();
}

} // namespace headscope
