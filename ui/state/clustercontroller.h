#pragma once

#include "core/analysis/ablationspec.h"
#include "core/results/anyresult.h"
#include "ui/state/clusterwatch.h"
#include "ui/state/studycontroller.h"

#include <QJsonArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A sweep as a cluster is to compute it, and how it is dealt out.
struct ClusterTask
{
    Domain domain = Domain::In;
    AblationSpec spec{};
    int shards = 8;
    int threads = 0; ///< of a shard; 0: as many as it is given
    QString options; ///< of sbatch, as a shell would split them
    QString parent;  ///< the folder in which the sweep gets one of its own
};

/// A sweep that could be computed on a cluster.
struct ClusterChoice
{
    Domain domain = Domain::In;
    AblationSpec spec{};
    QString name;          ///< "Ablation, in-domain"
    bool computed = false; ///< the study has it
};

/// A sweep of the study that was begun.
struct ClusterRun
{
    enum class State {
        Left, ///< the cluster's jobs may run, but are not watched
        Watched,
        Stopping,  ///< they are being cancelled
        Cancelled, ///< what is done is kept in the folder
        Failed,
        Done, ///< the result is in the study
    };

    ClusterTask task{};
    QString name;
    QString folder; ///< its own
    State state = State::Left;
    ClusterReport report{}; ///< without the result
    QString error{};
    JobId job = 0;
    std::shared_ptr<ClusterChild> child{};

    bool isActive() const { return state == State::Watched || state == State::Stopping; }
};

/// Runs sweeps of the open study on a cluster by headscope-cli, one child each, and puts their results into the study.
/// The cluster's jobs outlive the study and the window: what was begun is remembered with the study, and gone on with.
/// Lives on the GUI thread.
class ClusterController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterController)
public:
    ClusterController(StudyState &state, StudyController &controller, QObject *parent = nullptr);
    ~ClusterController() override; ///< leaves the cluster's jobs alone

    /// Instead of the headscope-cli that lies beside this program.
    void setProgram(const QString &program) { m_program = program; }

    /// What is shown, and what is computed by itself, where a cluster can do it: in-domain first.
    std::vector<ClusterChoice> choices() const;
    /// Why nothing can be started from here, in a sentence that says what to do; empty where it can.
    QString whyNot() const;
    /// Why this one cannot be; empty where it can.
    QString whyNot(const ClusterTask &task) const;
    /// The sweep's own folder: another one for other data, weights, options or shards, so that none goes on from what
    /// is not its own.
    QString folderOf(const ClusterTask &task) const;
    /// The command that is run, as a shell would read it. Precondition: a model, and data in the slot.
    QString commandOf(const ClusterTask &task) const;

    /// Where the folder holds something already, it goes on from there.
    void start(const ClusterTask &task);
    /// Watches a run of runs() again; `options` of sbatch are the user's, never a study's.
    void resume(const QString &folder, const QString &options);
    /// Cancels the cluster's jobs of a run.
    void cancel(const QString &folder);
    /// Takes a run that is not active off the list; its folder stays.
    void forget(const QString &folder);

    /// Oldest first.
    const std::vector<ClusterRun> &runs() const { return m_runs; }

    /// The sweeps as a study saves and restores them.
    QJsonArray remembered() const;
    void takeUp(const QJsonArray &runs);

Q_SIGNALS:
    void runsChanged();

private:
    ClusterRun *find(const QString &folder);
    void watch(ClusterRun &run);
    void onEnded(const QString &folder, JobId job, const Result<ClusterReport> &result);
    QString take(const ClusterRun &run, const AnyResult &result);
    void leave();
    void changed();
    std::string program() const;

    StudyState &m_state;
    StudyController &m_controller;
    QString m_program;
    std::vector<ClusterRun> m_runs;
};

} // namespace headscope
