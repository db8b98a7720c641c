#pragma once

#include "core/session/report.h"
#include "ui/state/clustercontroller.h"
#include "ui/state/recentlist.h"
#include "ui/state/studycontroller.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <optional>

class QMenu;
class QMessageBox;

namespace headscope {

enum class Demo;
class MainWindow;
struct PlannedFile;

/// What a window opens, saves and exports: chooses files, and asks before anything is lost.
class WindowFiles final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WindowFiles)
public:
    explicit WindowFiles(MainWindow &window);

    RecentList &recent() { return m_recent; }
    /// Adds to the recent ones, where these are kept.
    void remember(const QString &path);
    /// Whether recent files are kept, and the loss of work is asked about.
    void setKeepsSettings(bool keeps) { m_settings = keeps; }
    /// For how many seconds an analysis must have been computing for its loss to be asked about.
    void setLongAnalysis(double seconds) { m_longSeconds = seconds; }
    /// Whether an analysis has been running for so long, and would be lost.
    bool losesWork() const;
    /// Asks if an analysis that has been running for long would be lost; `what` is the verb of the question.
    void whenDiscardAccepted(const QString &what, const std::function<void()> &next);

    /// See MainWindow::openPaths().
    void open(const QStringList &paths);
    void openDemo(Demo demo);
    void openRecent(const QString &path);
    void fillRecentMenu(QMenu &menu);
    void chooseModel();
    void chooseRemoteModel();
    void askToReach(const QString &host, const QString &folder);
    void chooseStudy();
    void chooseData(std::optional<Domain> domain = {}, const QStringList &files = {});
    void runOnCluster();

    void save();
    void chooseAndSave();
    void saveAs(const QString &file);
    void pack();
    void savePrunedModel();
    void askToDiscard(const QString &error, const std::function<void()> &next);
    void askToDeleteKept();
    /// How the window looks, for a study.
    QString layoutText() const;
    void applyLayout(const QString &text);

    void exportView();
    void exportEverything();
    void writeReport(const ReportSpec &spec);
    void copyView();

private:
    void openPacked(const QString &file);
    void openFailed(const QString &text);
    QString proposedName() const;
    void writePlanned(const QList<PlannedFile> &files, const QString &folder);
    QMessageBox *lossQuestion(const QString &text, const QString &details, const QString &verb,
                              const std::function<void()> &next);

    MainWindow &m_window;
    StudyState &m_state;
    StudyController &m_controller;
    ClusterController &m_cluster;
    RecentList m_recent;
    bool m_settings = false;
    double m_longSeconds = 60; ///< shorter analyses are quickly repeated
};

} // namespace headscope
