#pragma once

#include "core/session/demo.h"

#include "ui/state/autosavedstudies.h"
#include "ui/state/recentlist.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <array>

class QCommandLinkButton;
class QLabel;
class QListWidget;

namespace headscope {

class ErrorLabel;
class JobQueue;
class StudyThumbnails;

/// Nothing is open: look at the demo, open a model folder or a study, train a model, continue where you left off, or
/// drop something.
class StartPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StartPage)
public:
    /// `queue` reads recent studies for their thumbnails.
    StartPage(StudyState &state, RecentList &recent, JobQueue &queue, QWidget *parent = nullptr);

    QListWidget &recentList() { return *m_list; }

    /// Said while a model or study is being read; empty when nothing is.
    void setBusyText(const QString &text);
    /// The study that the program kept by itself last; without a file none is offered.
    void setKept(const AutosavedStudy &study);

Q_SIGNALS:
    void demoRequested(headscope::Demo demo);
    void modelRequested();
    void studyRequested();
    void trainingRequested();
    void recentRequested(const QString &path);

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeButtons();
    QWidget *makeDemos(QWidget *parent);
    void refreshDemos();
    void refreshRecent();
    void refreshThumbnails();
    void refreshError();

    StudyState &m_state;
    RecentList &m_recent;
    StudyThumbnails *m_thumbnails = nullptr;
    std::array<QCommandLinkButton *, kDemos.size()> m_demos{}; ///< by Demo
    QCommandLinkButton *m_last = nullptr;
    QString m_lastFile;
    QListWidget *m_list = nullptr;
    QLabel *m_listTitle = nullptr;
    QLabel *m_busy = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
