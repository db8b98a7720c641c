#pragma once

#include "core/session/training.h"
#include "ui/jobs/jobqueue.h"
#include "ui/pages/training/experiment.h"

#include <QObject>

#include <memory>
#include <vector>

namespace headscope {

/// Trains the runs of an experiment one after the other, in the background. What is finished is read, what was stopped
/// goes on: an experiment resumes by being started again. Lives on the GUI thread.
class ExperimentController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentController)
public:
    /// What is known of each run, in their order; null: nothing yet.
    using Reports = std::vector<std::shared_ptr<const TrainingReport>>;

    explicit ExperimentController(JobQueue &queue, QObject *parent = nullptr);

    void start(std::vector<ExperimentRun> runs);
    /// The run that is being trained is saved first.
    void stop();
    /// Shows what there is of these runs on disk.
    void look(std::vector<ExperimentRun> runs);

    const std::vector<ExperimentRun> &runs() const { return m_runs; }
    const Reports &reports() const { return m_reports; }
    bool isRunning() const { return m_running; }
    bool isStopping() const { return m_stopping; }
    const QString &error() const { return m_error; }

Q_SIGNALS:
    void changed();

private:
    void setReports(const Reports &reports);

    JobQueue &m_queue;
    JobId m_id = 0;
    std::vector<ExperimentRun> m_runs;
    Reports m_reports;
    bool m_running = false;
    bool m_stopping = false;
    QString m_error;
};

/// The epoch that a run is judged by: its last with gates, which close over time, else its best; null: it has none.
const TrainingEpoch *judgedEpoch(const TrainingReport &report, bool withGates);

} // namespace headscope
