#pragma once

#include "core/base/jobcontrol.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

class QTimer;

namespace headscope {

using JobId = qint64;

/// Jobs of a lane run one after the other. A sweep waits at its checkpoints while a batch job or an interactive one
/// runs or is queued, a batch job while an interactive one is: clicks overtake what takes minutes, and that overtakes
/// what takes hours. Files are read and written beside all of them. What is only watched here and computed elsewhere
/// holds nobody up and waits for nobody.
enum class JobLane { Sweep, Batch, Interactive, Files, Elsewhere };
enum class JobState { Queued, Running, Done, Failed, Cancelled };

struct JobSpec
{
    QString name; ///< shown: "Ablation, in-domain"
    QString tag;  ///< the newest job of a tag cancels the older ones; empty: never replaced
    JobLane lane = JobLane::Batch;
    bool urgent = false; ///< goes before the queued jobs of its lane that are not urgent
    /// Writes data that would be lost otherwise: only a newer job of its tag replaces it, and the queue waits for it
    /// before it ends.
    bool mustFinish = false;
    bool keepsItsWork = false; ///< stopped at any moment, the same work goes on where it was
    double share = 1;          ///< of what the work counts, how much is wanted: finishEarly() ends it there
};

/// What is shown of a job.
struct JobInfo
{
    JobId id = 0;
    JobSpec spec;
    JobState state = JobState::Queued;
    Progress progress;
    double rate = 0;         ///< units per second in this phase, 0 = not known yet
    double secondsLeft = -1; ///< < 0 = not known
    bool cancelling = false; ///< asked to stop, has not stopped yet
    bool isEnough = false;   ///< it was asked to stop because what it has come to is enough
    bool paused = false;     ///< runs, but waits for what is more urgent
    double seconds = 0;      ///< for how long it has been running
    double waited = 0;       ///< of these, seconds in which it was paused
    QString error;           ///< of a failed job

    bool isActive() const { return state == JobState::Queued || state == JobState::Running; }
};

/// Runs work off the GUI thread, one job at a time per lane (elsewhere: all at once). Lives on the GUI thread; every
/// function here is called there, and everything is delivered there. Each job's `finished` is called exactly once
/// unless its receiver or the queue goes away first. A cancelled job gives Result::cancelled(), never an error.
class JobQueue final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(JobQueue)
public:
    template<typename T>
    using Work = std::function<Result<T>(const JobControl &, const Publish<T> &)>;
    template<typename T>
    using Finished = std::function<void(const Result<T> &)>;
    template<typename T>
    using Partial = std::function<void(const std::shared_ptr<const T> &)>;

    explicit JobQueue(QObject *parent = nullptr);
    /// Cancels all jobs except those that must finish; waits for these and for the running jobs to stop.
    ~JobQueue() override;

    /// Runs `work`; what it publishes reaches `partial`, newest only, at most 20 times a second.
    template<typename T>
    JobId start(const JobSpec &spec, Work<T> work, QObject *receiver, Finished<T> finished, Partial<T> partial = {});
    /// Enqueues a job without partial results.
    template<typename T>
    JobId start(const JobSpec &spec, std::function<Result<T>(const JobControl &)> work, QObject *receiver,
                Finished<T> finished)
    {
        return start<T>(spec, Work<T>([work = std::move(work)](const JobControl &control, const Publish<T> &) {
                            return work(control);
                        }),
                        receiver, std::move(finished));
    }

    void cancel(JobId id);
    /// What it has published is enough: it stops, and is done. `finished` gets Result::cancelled() as of any job that
    /// has stopped; unlike after cancel() its state is then JobState::Done.
    void finishEarly(JobId id);
    /// Other than its JobSpec says: what is counted of it is shown as a part of this share.
    void setShare(JobId id, double share);
    void cancelTag(const QString &tag);
    /// All but those that must finish.
    void cancelAll();
    /// All that is computed here, but for jobs of this tag and those that must finish.
    void cancelAllExcept(const QString &tag);

    /// Active jobs and the latest finished ones, oldest first.
    std::vector<JobInfo> jobs() const;
    /// The running job to show: the batch one if there is one, else the sweep, else the interactive one, else what is
    /// queued, reads or writes files, or is elsewhere.
    const JobInfo *current() const;
    bool isIdle() const;
    void forgetFinished();

Q_SIGNALS:
    void jobAdded(qint64 id);
    void jobChanged(qint64 id);
    void jobFinished(qint64 id);
    void jobsForgotten();

private:
    /// What the worker writes and the GUI thread collects at its next tick.
    struct Mailbox
    {
        std::mutex mutex;
        Progress progress;
        bool progressChanged = false;
        bool paused = false;
        std::function<void()> partial;
    };
    /// The end of a job; deliver() calls the receiver, on the GUI thread.
    struct Outcome
    {
        JobState state = JobState::Done;
        QString error;
        std::function<void()> deliver;
    };
    struct Job;
    struct Workers;

    JobId enqueue(const JobSpec &spec, std::function<Outcome(const JobControl &, Mailbox &)> run,
                  std::function<void()> deliverCancelled);
    Job *find(JobId id) const;
    void collect();
    void finish(JobId id, const Outcome &outcome);
    void trimFinished();
    void requestStop(Job &job);

    static Error errorOfCurrentException();

    std::vector<std::unique_ptr<Job>> m_jobs;
    JobId m_lastId = 0;
    qint64 m_ended = 0;
    QTimer *m_tick = nullptr;
    std::unique_ptr<Workers> m_workers;
};

template<typename T>
JobId JobQueue::start(const JobSpec &spec, Work<T> work, QObject *receiver, Finished<T> finished, Partial<T> partial)
{
    // The QPointer is read on the GUI thread only; the worker just carries it.
    const QPointer<QObject> guard(receiver);
    auto call = [guard, finished = std::move(finished)](const Result<T> &result) {
        if (guard && finished)
            finished(result);
    };
    auto run = [work = std::move(work), partial = std::move(partial), guard, call](const JobControl &control,
                                                                                   Mailbox &mailbox) {
        const Publish<T> publish = [&](const T &value) {
            if (!partial)
                return;
            auto copy = std::make_shared<const T>(value);
            const std::lock_guard lock(mailbox.mutex);
            mailbox.partial = [guard, partial, copy] {
                if (guard)
                    partial(copy);
            };
        };
        const auto result = [&]() -> std::shared_ptr<const Result<T>> {
            try {
                auto value = work(control, publish);
                // A value that arrives after the cancel is discarded.
                return std::make_shared<const Result<T>>(control.cancelled() ? Result<T>::cancelled()
                                                                             : std::move(value));
            } catch (const Cancelled &) {
                return std::make_shared<const Result<T>>(Result<T>::cancelled());
            } catch (...) {
                return std::make_shared<const Result<T>>(errorOfCurrentException());
            }
        }();
        Outcome outcome;
        outcome.deliver = [call, result] { call(*result); };
        if (result->isCancelled())
            outcome.state = JobState::Cancelled;
        if (result->isError()) {
            outcome.state = JobState::Failed;
            outcome.error = QString::fromStdString(result->error().message);
        }
        return outcome;
    };
    return enqueue(spec, std::move(run), [call] { call(Result<T>::cancelled()); });
}

} // namespace headscope
