#pragma once

#include "ui/jobs/jobqueue.h"
#include "ui/state/studystate.h"

#include <QTimer>

namespace headscope {

/// Starts the work that fills a StudyState, and keeps it going: when a model and a data set are there, the
/// scores, the ablation sweep, importance and confidence start by themselves, in-domain first; when the mask
/// changes, its score is computed again, overtaking everything else. Lives on the GUI thread.
class StudyController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyController)
public:
    explicit StudyController(StudyState &state, QObject *parent = nullptr);
    ~StudyController() override;

    JobQueue &queue() { return m_queue; }
    const RunOptions &runOptions() const { return m_run; }
    void setRunOptions(const RunOptions &run) { m_run = run; }
    void setModelOptions(const ModelOptions &options) { m_modelOptions = options; }
    /// Whether analyses start by themselves (on by default); --screenshot computes only what it shows.
    void setAutomatic(bool automatic) { m_automatic = automatic; }

    /// Opens a model folder; data sets chosen before are read again with it.
    void openModel(const QString &folder);
    /// Fills a slot. Without a model the choice is kept until there is one.
    void setData(Domain domain, const DataSource &source);
    void clearData(Domain domain);

    void startBaseline(Domain domain);
    void startAblation(Domain domain, const AblationSpec &spec);
    void startImportance(Domain domain, const ImportanceSpec &spec);
    void startConfidence(Domain domain);
    /// One curve (or band) into results(domain).pruning, point by point.
    void startPruning(Domain domain, const PruningSpec &spec);
    /// Into state.attention(), under the present mask. An empty target: the model's own translation.
    void requestAttention(const QString &source, const QString &target);
    /// Whatever of the automatic analyses is missing on the open data sets.
    void startMissing();
    void exportMasked(const QString &folder);

Q_SIGNALS:
    void modelOpened();

private:
    void applyPendingData();
    void onMaskChanged();
    void evaluateMask();
    void evaluateMask(Domain domain);
    bool ready(Domain domain) const;
    JobSpec batchSpec(const QString &name, const char *tag, Domain domain, bool urgent) const;
    template<typename T, typename Store>
    void startResult(const JobSpec &spec, JobQueue::Work<T> work, Store store);

    StudyState &m_state;
    RunOptions m_run;
    ModelOptions m_modelOptions;
    bool m_automatic = true;
    bool m_starting = false;
    std::array<std::optional<DataSource>, 2> m_wanted; ///< data sources of the slots, read or not yet
    QTimer m_maskTimer;
    JobQueue m_queue;
};

} // namespace headscope
