#pragma once

#include "ui/state/studycontext.h"
#include "ui/state/work.h"
#include "ui/state/workkey.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope {

/// Something that may be computed on a data set.
struct WorkRequest
{
    Domain domain;
    AnySpec spec;
};

/// The results of a study that are asked for: starts their jobs, in the order in which they are wanted, stops them
/// where it is enough, and says how all of them stand. Lives on the GUI thread.
class WorkList final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WorkList)
public:
    explicit WorkList(StudyContext &context, QObject *parent = nullptr);

    /// Computes it and shows it, also while it is still running; a study keeps it when it is complete. Outputs are kept
    /// of scores. Nothing happens while the data are not read. Not for SpeedSpec.
    void start(Domain domain, AnySpec spec, bool urgent = true);
    /// With the options that `like` was asked for with.
    void startAgain(Domain domain, const AnyResult &like);
    /// Starts them, or goes on with them; with `examples` they stop at so many.
    void startAll(const std::vector<WorkRequest> &requests, std::int64_t examples = 0);
    /// The automatic analyses that are missing or not complete on the open data sets, and nobody is at work on.
    std::vector<WorkRequest> missing() const;
    /// Starts these: score and sweep on a few examples before all else. `asked`: somebody waits for them, however long
    /// they take.
    void startMissing(bool asked);
    /// Starts again what was stopped or failed, as it was asked for: sweeps from where they were. With `examples` it
    /// stops again at so many.
    void resume(const Work &work, std::int64_t examples = 0);
    /// Removes what there is of something: of what is complete in one undo step.
    void forget(const Work &work);

    /// How all results of a data set stand, and what is to become one: the only source of it.
    std::vector<Work> work(Domain domain) const;
    /// Of the results of a kind the one that a job is at work on, else the first; nothing: nobody has asked for one.
    std::optional<Work> workOn(Domain domain, const UnitKind &kind) const;
    /// Whether a job is at work on such a result, or waits to be.
    bool isComputing(const UnitKind &kind) const;
    /// Whether results that were asked for, by somebody or by themselves, are on their way.
    bool isComputing() const;
    /// Whether nobody is at work on it and it is not there.
    bool isMissing(Domain domain, const UnitKind &kind) const;
    /// What there is of it, complete or not.
    std::optional<AnyResult> foundOf(const WorkRequest &request) const;
    /// What work was asked for, or its result says that it was.
    std::optional<WorkRequest> requestOf(const Work &work) const;
    std::optional<JobInfo> activeJob(const WorkKey &key) const;
    std::optional<JobInfo> activeJob(const QString &tag) const;
    /// Whether it runs or has ended.
    std::optional<JobInfo> newestJob(const QString &tag) const;

    /// Runs `work` as a job, and tells its error. `show`: every result that comes, `finish`: the last; `stopped`: there
    /// is none, and no error.
    using ShowResult = std::function<void(const AnyResult &)>;
    void run(const JobSpec &spec, JobQueue::Work<AnyResult> work, const ShowResult &show, const ShowResult &finish,
             const std::function<void()> &stopped = {});
    /// What went wrong with the newest job of that tag, until it is told again or dismissed; empty: nothing any more.
    void setJobError(const QString &tag, const QString &text);
    /// What went wrong with work whose results that page shows, or that no page shows; and with results of `also`.
    QString errorOn(const QString &page, const std::optional<UnitKind> &also = {}) const;
    /// Forgets the errors of failed jobs, which stay until they are dismissed or the job succeeds.
    void dismissErrors();

    /// What was begun of these data before, by this program or another, is shown as far as it is known.
    void lookForUnfinished(Domain domain);
    /// The core need not keep anything of the results with these keys.
    void release(const std::vector<std::string> &keys);
    void cancelJobsOf(Domain domain);
    /// Stops what is meant, and does not offer to go on with it.
    void cancelAsked(const std::function<bool(const AnySpec &)> &isMeant);
    /// What is no longer wanted is not offered to be gone on with.
    void forgetAsked(Domain domain, const std::function<bool(const AnySpec &)> &isMeant);
    /// Before another study is shown.
    void clear();
    /// Lets changed() be emitted soon: jobs tell their progress twenty times a second, too often for lists.
    void tell();

Q_SIGNALS:
    /// work() says something else, or may do so; at most five times a second.
    void changed();
    /// The study has another result, or one less.
    void modified();
    /// A complete result is about to be removed.
    void removing();
    /// The newest job of that tag has computed it.
    void computed(headscope::Domain domain, const headscope::AnyResult &result, const QString &tag);

private:
    using Request = WorkRequest;

    void enqueue(const JobSpec &job, const WorkKey &key, const Request &request);
    void startFirst(const Request &request, std::int64_t examples);
    void startRest(const WorkKey &key, const QString &tag);
    std::int64_t firstExamplesOf(const Request &request) const;
    std::int64_t unitsOf(const WorkKey &key) const;
    double shareOf(const WorkKey &key, std::int64_t examples) const;
    void stopAt(const WorkKey &key, std::int64_t examples);
    void stopWhereEnough(const WorkKey &key, const AnyResult &partial);
    bool canStart(const Request &request) const;
    std::vector<Request> usual(Domain domain) const;
    std::vector<Request> usualOfModel() const;
    Request judgedByItsData(Request request) const;
    /// A score keeps its outputs, which the window shows.
    static Request withOutputs(Request request);

    StudyContext &m_context;
    std::map<QString, QString> m_jobErrors;  ///< of the newest job of a tag
    std::map<WorkKey, Request> m_asked;      ///< what was started and is not complete yet
    std::set<WorkKey> m_unasked;             ///< what started by itself
    std::set<WorkKey> m_putOff;              ///< those of them that were stopped, since they take long
    std::map<WorkKey, std::int64_t> m_until; ///< examples that are enough
    std::map<WorkKey, std::int64_t> m_first; ///< examples of jobs that end early, after which the rest is queued again
    QTimer m_timer;                          ///< until changed() is emitted
};

/// The tag of the job that asks for the attention of a sentence: its errors have a place of their own.
inline constexpr char kAttentionTag[] = "attention";

/// Whether the options that decide the numbers are the same.
bool isSameRequest(const AnySpec &a, const AnySpec &b);
/// Whether its partial results rest on the same examples throughout, so that it can stop at fewer.
bool stopsAtExamples(const AnySpec &spec);

} // namespace headscope
