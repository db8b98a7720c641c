#pragma once

#include "core/session/training.h"
#include "ui/jobs/jobqueue.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// One training run at a time: begins it or goes on with it, stops it, keeps its newest report. Runs that are on disk
/// can be looked at in the same way. Lives on the GUI thread.
class TrainingController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrainingController)
public:
    explicit TrainingController(JobQueue &queue, QObject *parent = nullptr);

    /// Begins a run, or goes on with the unfinished one in config.output.
    void start(const TrainingConfig &config);
    /// The run is saved before it stops.
    void stop();
    /// Shows the run in `folder`, and tells its configuration with runOpened().
    void openRun(const QString &folder);
    /// Shows the run that is in `folder` already, or nothing where there is none.
    void look(const QString &folder);
    void showReport(const TrainingReport &report, const TrainingConfig &config = {});

    /// Null: no run is shown.
    const std::shared_ptr<const TrainingReport> &report() const { return m_report; }
    /// The runs with gates in the folder that the shown run lies in, itself among them: a sweep. Empty where it has no
    /// gates, and until they are read.
    const std::vector<std::shared_ptr<const TrainingRun>> &sweep() const { return m_sweep; }
    /// Of the run that is shown.
    const TrainingConfig &config() const { return m_config; }
    bool isRunning() const { return m_job.has_value(); }
    bool isStopping() const { return m_job && m_job->cancelling; }
    /// The job while it runs, for its rate and its time left.
    const std::optional<JobInfo> &job() const { return m_job; }
    /// The update at which the run was stopped by the user; nothing when it was not.
    std::optional<std::int64_t> stoppedAt() const { return m_stoppedAt; }
    const QString &error() const { return m_error; }
    /// Whether the run that is shown can be resumed.
    bool isUnfinished() const;

Q_SIGNALS:
    void reportChanged();
    void sweepChanged();
    /// Running or not, stopped, an error.
    void stateChanged();
    void runOpened(const headscope::TrainingConfig &config);

private:
    void follow(qint64 id);
    void finish(const Result<TrainingReport> &result);
    void readRun(const QString &folder, bool opened);
    void onRunRead(const Result<TrainingRun> &result, bool opened);
    void setReport(std::shared_ptr<const TrainingReport> report);
    void readSweep();

    JobQueue &m_queue;
    JobId m_id = 0;
    std::optional<JobInfo> m_job;
    std::shared_ptr<const TrainingReport> m_report;
    std::vector<std::shared_ptr<const TrainingRun>> m_sweep;
    std::optional<std::int64_t> m_stoppedAt;
    QString m_error;
    TrainingConfig m_config; ///< of the run that was started or read
};

/// The tag of training's job: opening a model leaves it running.
inline constexpr const char kTrainingTag[] = "training";
/// Whether `folder` holds a training run.
bool isTrainingRun(const QString &folder);

} // namespace headscope
