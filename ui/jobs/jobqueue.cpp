#include "ui/jobs/jobqueue.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <vector>

namespace headscope {

namespace {
constexpr int kTickMs = 50; // 20 Hz
/// Those with a thread of their own, each of which lets the later ones pass, but for files.
constexpr JobLane kLanes[] = {JobLane::Sweep, JobLane::Batch, JobLane::Interactive, JobLane::Files};
constexpr std::size_t kLaneCount = std::size(kLanes);
constexpr std::size_t kKeptFinishedJobs = 50;

/// In which order jobs begin and end: QT_LOGGING_RULES=headscope.jobs.debug=true prints it.
Q_LOGGING_CATEGORY(jobLog, "headscope.jobs", QtWarningMsg)

const char *wordOf(JobState state)
{
    switch (state) {
    case JobState::Queued:
        return "queued";
    case JobState::Running:
        return "begun";
    case JobState::Done:
        return "done";
    case JobState::Failed:
        return "failed";
    case JobState::Cancelled:
        return "cancelled";
    }
    return "";
}

void logState(const JobInfo &job)
{
    qCDebug(jobLog, "%s: %s, %lld of %lld %s", wordOf(job.state), qUtf8Printable(job.spec.name),
            static_cast<long long>(job.progress.done), static_cast<long long>(job.progress.total),
            job.progress.unit.c_str());
}
} // namespace

struct JobQueue::Job
{
    JobInfo info;
    std::stop_source stop;
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
    std::function<Outcome(const JobControl &, Mailbox &)> run;
    std::function<void()> deliverCancelled;
    qint64 ended = 0; ///< counts the jobs that have ended, in their order
    QElapsedTimer runTimer;
    std::optional<double> ran; ///< seconds, once its thread has done it
    QElapsedTimer phaseTimer;
    std::int64_t phaseStart = 0;
    QElapsedTimer pauseTimer;
    double pausedInPhase = 0; ///< seconds
    Progress counted;         ///< as the work counts it

    /// As a part of the share that is wanted.
    void showProgress()
    {
        Progress &shown = info.progress;
        shown = counted;
        if (info.spec.share < 1)
            shown.total = static_cast<std::int64_t>(std::ceil(static_cast<double>(counted.total) * info.spec.share));
        shown.done = shown.total > 0 ? std::min(counted.done, shown.total) : counted.done;
        const auto left = static_cast<double>(shown.total - shown.done);
        info.secondsLeft = info.rate > 0 && shown.total > 0 ? left / info.rate : -1;
    }
    void beginPhase(std::int64_t done)
    {
        phaseTimer.start();
        phaseStart = done;
        pausedInPhase = 0;
    }
};

/// The threads of the lanes and the queues between them and the GUI thread, and a thread for every job that is
/// elsewhere.
struct JobQueue::Workers
{
    struct Task
    {
        JobId id = 0;
        bool urgent = false;
        bool mustFinish = false;
        std::stop_token stop;
        std::shared_ptr<Mailbox> mailbox;
        std::function<Outcome(const JobControl &, Mailbox &)> run;
    };

    explicit Workers(JobQueue &queue) : m_queue(queue)
    {
        for (const JobLane lane : kLanes)
            m_threads[placeOf(lane)] = std::jthread([this, lane](std::stop_token stop) { work(lane, stop); });
    }

    void push(JobLane lane, Task task)
    {
        if (lane == JobLane::Elsewhere)
            return watch(std::move(task));
        {
            const std::lock_guard lock(m_mutex);
            auto &queue = m_queues[placeOf(lane)];
            const auto at = task.urgent ? std::find_if(queue.begin(), queue.end(),
                                                       [](const Task &other) { return !other.urgent; })
                                        : queue.end();
            queue.insert(at, std::move(task));
        }
        m_changed.notify_all();
    }

    /// Takes a job that has not started out of its queue; false when it has.
    bool withdraw(JobId id)
    {
        const std::lock_guard lock(m_mutex);
        for (auto &queue : m_queues) {
            const auto at = std::find_if(queue.begin(), queue.end(), [id](const Task &task) { return task.id == id; });
            if (at != queue.end()) {
                queue.erase(at);
                m_changed.notify_all();
                return true;
            }
        }
        return false;
    }

private:
    struct Watcher
    {
        std::shared_ptr<std::atomic<bool>> ended;
        std::jthread thread;
    };

    void watch(Task task)
    {
        std::erase_if(m_watchers, [](const Watcher &watcher) { return watcher.ended->load(); });
        auto ended = std::make_shared<std::atomic<bool>>(false);
        m_watchers.push_back({ended, std::jthread([this, ended, task = std::move(task)] {
                                  runTask(JobLane::Elsewhere, task);
                                  *ended = true;
                              })});
    }

    static std::size_t placeOf(JobLane lane) { return static_cast<std::size_t>(lane); }

    void work(JobLane lane, const std::stop_token &stop)
    {
        for (;;) {
            Task task;
            {
                std::unique_lock lock(m_mutex);
                auto &queue = m_queues[placeOf(lane)];
                m_changed.wait(lock, stop, [&] { return !queue.empty(); });
                if (stop.stop_requested())
                    std::erase_if(queue, [](const Task &other) { return !other.mustFinish; });
                if (queue.empty())
                    return;
                task = std::move(queue.front());
                queue.pop_front();
                m_runs[placeOf(lane)] = true;
            }
            runTask(lane, task);
            {
                const std::lock_guard lock(m_mutex);
                m_runs[placeOf(lane)] = false;
            }
            m_changed.notify_all();
        }
    }

    void runTask(JobLane lane, const Task &task)
    {
        const auto post
            = [this](auto function) { QMetaObject::invokeMethod(&m_queue, std::move(function), Qt::QueuedConnection); };
        QElapsedTimer timer; // this thread's, since the queue may hear of it late
        timer.start();
        post([queue = &m_queue, id = task.id, timer] {
            if (Job *job = queue->find(id)) {
                job->info.state = JobState::Running;
                job->runTimer = timer;
                job->beginPhase(0);
                logState(job->info);
                Q_EMIT queue->jobChanged(id);
            }
        });
        const JobControl control(
            task.stop,
            [mailbox = task.mailbox](const Progress &progress) {
                const std::lock_guard lock(mailbox->mutex);
                mailbox->progress = progress;
                mailbox->progressChanged = true;
            },
            lane == JobLane::Sweep || lane == JobLane::Batch ? std::function<void()>(
                [this, lane, stop = task.stop, mailbox = task.mailbox] { letUrgentPass(lane, stop, *mailbox); })
                                                             : std::function<void()>());
        Outcome outcome = task.run(control, *task.mailbox);
        const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        post([queue = &m_queue, id = task.id, seconds, outcome = std::move(outcome)] {
            if (Job *job = queue->find(id))
                job->ran = seconds;
            queue->finish(id, outcome);
        });
    }

    void letUrgentPass(JobLane lane, const std::stop_token &stop, Mailbox &mailbox)
    {
        const auto isFree = [this, lane] {
            for (std::size_t other = placeOf(lane) + 1; other <= placeOf(JobLane::Interactive); ++other) {
                if (m_runs[other] || !m_queues[other].empty())
                    return false;
            }
            return true;
        };
        const auto tell = [&](bool paused) {
            const std::lock_guard lock(mailbox.mutex);
            mailbox.paused = paused;
        };
        std::unique_lock lock(m_mutex);
        if (isFree())
            return;
        tell(true);
        m_changed.wait(lock, stop, isFree);
        tell(false);
    }

    JobQueue &m_queue;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Task> m_queues[kLaneCount];
    bool m_runs[kLaneCount] = {};
    std::vector<Watcher> m_watchers;    ///< the GUI thread's
    std::jthread m_threads[kLaneCount]; // threads last: joined before the rest goes
};

JobQueue::JobQueue(QObject *parent) : QObject(parent), m_tick(new QTimer(this))
{
    m_tick->setInterval(kTickMs);
    connect(m_tick, &QTimer::timeout, this, &JobQueue::collect);
    m_workers = std::make_unique<Workers>(*this);
}

JobQueue::~JobQueue()
{
    for (const auto &job : m_jobs) {
        if (!job->info.spec.mustFinish)
            job->stop.request_stop();
    }
    m_workers.reset();
}

JobId JobQueue::enqueue(const JobSpec &spec, std::function<Outcome(const JobControl &, Mailbox &)> run,
                        std::function<void()> deliverCancelled)
{
    if (!spec.tag.isEmpty())
        cancelTag(spec.tag);
    auto job = std::make_unique<Job>();
    job->info.id = ++m_lastId;
    job->info.spec = spec;
    job->deliverCancelled = std::move(deliverCancelled);
    const JobId id = job->info.id;
    Workers::Task task{id, spec.urgent, spec.mustFinish, job->stop.get_token(), job->mailbox, std::move(run)};
    m_jobs.push_back(std::move(job));
    Q_EMIT jobAdded(id);
    m_workers->push(spec.lane, std::move(task));
    m_tick->start();
    return id;
}

void JobQueue::cancel(JobId id)
{
    Job *job = find(id);
    if (!job || !job->info.isActive())
        return;
    job->info.isEnough = false;
    if (!job->info.cancelling)
        requestStop(*job);
}

void JobQueue::finishEarly(JobId id)
{
    Job *job = find(id);
    if (!job || job->info.state != JobState::Running || job->info.cancelling)
        return;
    job->info.isEnough = true;
    requestStop(*job);
}

void JobQueue::requestStop(Job &job)
{
    const JobId id = job.info.id;
    job.info.cancelling = true;
    job.stop.request_stop();
    if (m_workers->withdraw(id)) {
        // Delivered from the event loop, as every other end of a job is.
        Outcome outcome{JobState::Cancelled, {}, job.deliverCancelled};
        QMetaObject::invokeMethod(
            this, [this, id, outcome] { finish(id, outcome); }, Qt::QueuedConnection);
    }
    Q_EMIT jobChanged(id);
}

void JobQueue::setShare(JobId id, double share)
{
    Job *job = find(id);
    if (!job || !job->info.isActive() || job->info.spec.share == share)
        return;
    job->info.spec.share = share;
    job->showProgress();
    Q_EMIT jobChanged(id);
}

void JobQueue::cancelTag(const QString &tag)
{
    for (const JobInfo &info : jobs()) {
        if (info.spec.tag == tag)
            cancel(info.id);
    }
}

void JobQueue::cancelAll()
{
    for (const JobInfo &info : jobs()) {
        if (!info.spec.mustFinish)
            cancel(info.id);
    }
}

void JobQueue::cancelAllExcept(const QString &tag)
{
    for (const JobInfo &info : jobs()) {
        if (!info.spec.mustFinish && info.spec.lane != JobLane::Elsewhere && (tag.isEmpty() || info.spec.tag != tag))
            cancel(info.id);
    }
}

std::vector<JobInfo> JobQueue::jobs() const
{
    std::vector<JobInfo> infos;
    infos.reserve(m_jobs.size());
    for (const auto &job : m_jobs)
        infos.push_back(job->info);
    return infos;
}

const JobInfo *JobQueue::current() const
{
    const JobInfo *best = nullptr;
    for (const auto &job : m_jobs) {
        if (!job->info.isActive())
            continue;
        const auto rank = [](const JobInfo &info) {
            if (info.spec.lane == JobLane::Elsewhere || info.spec.lane == JobLane::Files)
                return info.spec.lane == JobLane::Files ? -1 : -2;
            const int lane = info.spec.lane == JobLane::Batch ? 2 : info.spec.lane == JobLane::Sweep ? 1 : 0;
            return (info.state == JobState::Running ? 3 : 0) + lane;
        };
        if (!best || rank(job->info) > rank(*best))
            best = &job->info;
    }
    return best;
}

bool JobQueue::isIdle() const
{
    return std::none_of(m_jobs.begin(), m_jobs.end(), [](const auto &job) { return job->info.isActive(); });
}

void JobQueue::forgetFinished()
{
    std::erase_if(m_jobs, [](const auto &job) { return !job->info.isActive(); });
    Q_EMIT jobsForgotten();
}

JobQueue::Job *JobQueue::find(JobId id) const
{
    const auto at = std::find_if(m_jobs.begin(), m_jobs.end(), [id](const auto &job) { return job->info.id == id; });
    return at == m_jobs.end() ? nullptr : at->get();
}

void JobQueue::collect()
{
    std::vector<JobId> changed;
    std::vector<std::function<void()>> partials;
    for (const auto &job : m_jobs) {
        if (!job->info.isActive())
            continue;
        if (job->info.state == JobState::Running)
            job->info.seconds = static_cast<double>(job->runTimer.elapsed()) / 1000;
        const std::lock_guard lock(job->mailbox->mutex);
        if (job->info.paused) {
            const double pause = static_cast<double>(job->pauseTimer.restart()) / 1000;
            job->pausedInPhase += pause;
            job->info.waited += pause;
        }
        if (job->mailbox->paused != job->info.paused) {
            job->info.paused = job->mailbox->paused;
            job->pauseTimer.start();
            changed.push_back(job->info.id);
        }
        // Nothing of a job that is being cancelled is shown any more.
        if (auto partial = std::exchange(job->mailbox->partial, {}); partial && !job->info.cancelling)
            partials.push_back(std::move(partial));
        if (!std::exchange(job->mailbox->progressChanged, false))
            continue;
        const Progress &next = job->mailbox->progress;
        if (next.phase != job->counted.phase || next.done < job->counted.done)
            job->beginPhase(next.done);
        job->counted = next;
        const double seconds = static_cast<double>(job->phaseTimer.elapsed()) / 1000 - job->pausedInPhase;
        const auto since = static_cast<double>(next.done - job->phaseStart);
        job->info.rate = seconds > 0.2 ? since / seconds : 0;
        job->showProgress();
        changed.push_back(job->info.id);
    }
    for (const JobId id : changed)
        Q_EMIT jobChanged(id);
    // Receivers may start and cancel jobs: nothing of m_jobs is held here.
    for (const auto &partial : partials)
        partial();
}

void JobQueue::finish(JobId id, const Outcome &outcome)
{
    Job *job = find(id);
    if (!job)
        return;
    // A cancel that came after the work was done still counts: no further result is expected.
    const bool tooLate = job->info.cancelling && !job->info.isEnough && outcome.state == JobState::Done;
    const auto deliver = tooLate ? std::exchange(job->deliverCancelled, {}) : outcome.deliver;
    job->info.state = tooLate ? JobState::Cancelled : outcome.state;
    if (job->info.isEnough && job->info.state == JobState::Cancelled)
        job->info.state = JobState::Done;
    job->info.error = outcome.error;
    if (job->runTimer.isValid())
        job->info.seconds = job->ran.value_or(static_cast<double>(job->runTimer.elapsed()) / 1000);
    job->info.cancelling = false;
    job->info.paused = false;
    job->ended = ++m_ended;
    logState(job->info);
    job->deliverCancelled = {}; // releases what the receiver refers to
    trimFinished();
    if (isIdle())
        m_tick->stop();
    Q_EMIT jobFinished(id);
    if (deliver)
        deliver();
}

/// Interactive jobs are many: of the finished jobs the oldest interactive ones are removed first, then long analyses,
/// failed jobs last.
void JobQueue::trimFinished()
{
    const auto worth = [](const Job &job) {
        const int kind = job.info.state == JobState::Failed ? 2 : job.info.spec.lane == JobLane::Interactive ? 0 : 1;
        return std::pair(kind, job.ended);
    };
    std::vector<std::pair<int, qint64>> ended;
    for (const auto &job : m_jobs) {
        if (!job->info.isActive())
            ended.push_back(worth(*job));
    }
    if (ended.size() <= kKeptFinishedJobs)
        return;
    const auto first = ended.end() - static_cast<std::ptrdiff_t>(kKeptFinishedJobs);
    std::nth_element(ended.begin(), first, ended.end());
    std::erase_if(m_jobs, [&](const auto &job) { return !job->info.isActive() && worth(*job) < *first; });
    Q_EMIT jobsForgotten();
}

Error JobQueue::errorOfCurrentException()
{
    try {
        throw;
    } catch (const Failure &failure) {
        return failure.error();
    } catch (const std::bad_alloc &) {
        return resourceError("There was not enough memory for this. Close other programs, or use fewer sentences.");
    } catch (const std::exception &exception) {
        return {ErrorCode::Internal, exception.what()};
    } catch (...) {
        return {ErrorCode::Internal, "The work stopped for an unknown reason."};
    }
}

} // namespace headscope
