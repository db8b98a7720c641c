#pragma once

#include "ui/state/studycontroller.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace headscope {

/// The bottom line: the score under the present mask on both data sets, refining, and the running job.
class ScoreBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScoreBar)
public:
    ScoreBar(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    /// "56.90 ±0.41 (Δ −0.21 [−0.40, −0.02], n 1,000)", "80.96 % ±2.58 (n 500)": Δ is to the full model on the same
    /// examples. Empty when nothing is known of the domain.
    QString scoreText(Domain domain) const;

    /// With everything that it may show: no job changes it.
    int wholeHeight() const;

Q_SIGNALS:
    void jobsRequested();

protected:
    void mouseReleaseEvent(QMouseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void refreshScores();
    void refreshJob();
    int roomForScores() const; ///< beside the job as it is shown
    void fitScores();

    StudyState &m_state;
    StudyController &m_controller;
    QLabel *m_scores = nullptr;
    QStringList m_forms;    ///< of the scores, the longest first
    QStringList m_jobForms; ///< how the job stands, in words that get fewer
    QLabel *m_jobName = nullptr;
    QProgressBar *m_progress = nullptr;
    QLabel *m_jobCount = nullptr;
    QToolButton *m_cancel = nullptr;
    JobId m_jobId = 0;
};

} // namespace headscope
