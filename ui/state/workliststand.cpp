// How the work on every result stands, and taking back what was left.
#include "ui/state/worklist.h"

#include "core/analysis/analyses.h"
#include "core/results/anyresult.h"
#include "core/results/optionsjson.h"
#include "core/session/manifests.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <QUndoCommand>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

namespace {
/// Options that decide the numbers, by which requests and results are compared.
nlohmann::json decidingOptionsOf(const AnySpec &any)
{
    return any.visit([](const auto &spec) { return decidingOptions(spec); });
}

/// What a result was asked for; nothing: it cannot be read any more.
std::optional<AnySpec> askedSpecOf(const AnyResult &any)
{
    const Manifest *manifest = manifestOf(any);
    if (!manifest || manifest->spec.empty())
        return std::nullopt;
    try {
        return askedSpec(any);
    } catch (const Failure &) { // of another version
        return std::nullopt;
    }
}

/// Removes one complete result; undone, it is back where nothing newer has taken its place.
class RemoveCommand final : public QUndoCommand
{
public:
    RemoveCommand(WorkList &list, StudyState &state, Domain domain, AnyResult result, const QString &text)
        : QUndoCommand(text), m_list(list), m_state(state), m_domain(domain), m_result(std::move(result))
    {
    }

    void undo() override
    {
        m_state.putBack(m_domain, {m_result});
        Q_EMIT m_list.modified();
    }

    void redo() override
    {
        const ResultKind kind = resultKind(m_result).kind;
        const auto isOther = [&](const AnyResult &one) {
            return resultKind(one).kind == kind && manifestOf(one) != manifestOf(m_result);
        };
        std::vector<AnyResult> whole;
        std::vector<AnyResult> begun;
        std::ranges::copy_if(m_state.finishedResults(m_domain), std::back_inserter(whole), isOther);
        for (const AnyResult &one : m_state.shownResults(m_domain)) {
            if (isOther(one) && manifestOf(one) && manifestOf(one)->partial)
                begun.push_back(one);
        }
        m_state.removeResults(m_domain, kind);
        m_state.putBack(m_domain, whole);
        for (const AnyResult &one : begun)
            m_state.addPartialResult(m_domain, one);
        Q_EMIT m_list.modified();
    }

private:
    WorkList &m_list;
    StudyState &m_state;
    Domain m_domain;
    AnyResult m_result;
};

/// The jobs of the queue by their tags.
class WorkJobs
{
public:
    WorkJobs(const JobQueue &queue, const std::map<QString, QString> &errors) : m_errors(errors)
    {
        for (const JobInfo &job : queue.jobs()) {
            if (job.isActive())
                m_active[job.spec.tag] = job;
            else if (job.state == JobState::Cancelled)
                m_left[job.spec.tag] = job.secondsLeft;
        }
    }

    /// How work stands. `whole`: its result is there; `stale`: which is of other options.
    void stand(Work &work, bool whole, bool stale) const
    {
        const QString tag = tagOf(work.key);
        const auto job = m_active.find(tag);
        const auto error = m_errors.find(tag);
        const bool leaves = job != m_active.end() && job->second.cancelling; // it is about something else
        if (job != m_active.end() && !(whole && leaves)) {
            work.job = job->second;
            work.stage = job->second.state == JobState::Queued ? WorkStage::Queued
                       : job->second.paused                    ? WorkStage::Paused
                                                               : WorkStage::Running;
        } else if (whole) {
            work.stage = stale ? WorkStage::Stale : WorkStage::Complete;
        } else {
            work.stage = error == m_errors.end() ? WorkStage::Partial : WorkStage::Failed;
        }
        if (work.stage == WorkStage::Failed)
            work.error = error->second;
        if (work.job)
            work.secondsLeft = work.job->secondsLeft;
        else if (const auto known = m_left.find(tag); work.stage == WorkStage::Partial && known != m_left.end())
            work.secondsLeft = known->second;
    }

private:
    std::map<QString, JobInfo> m_active;
    std::map<QString, double> m_left; ///< seconds, of those that were stopped
    const std::map<QString, QString> &m_errors;
};
} // namespace

bool isSameRequest(const AnySpec &a, const AnySpec &b)
{
    return decidingOptionsOf(a) == decidingOptionsOf(b);
}

std::vector<Work> WorkList::work(Domain domain) const
{
    const WorkJobs jobs(m_context.queue, m_jobErrors);
    const auto stand = [&](Work &work, bool whole, bool stale) {
        jobs.stand(work, whole, stale);
        work.isPutOff = work.stage == WorkStage::Partial && m_putOff.contains(work.key);
    };
    std::vector<Work> all;
    std::set<WorkKey> seen;
    const std::vector<AnyResult> &shown = m_context.state.shownResults(domain);
    for (const AnyResult &result : shown) {
        const Manifest *manifest = manifestOf(result);
        if (!manifest)
            continue;
        Work work{.key = keyOf(domain, result),
                  .title = titleOf(result),
                  .result = result,
                  .examples = examplesOf(result),
                  .total = manifest->totalExamples};
        stand(work, !manifest->partial, m_context.state.isStale(domain, *manifest));
        // Of several curves by one order, the job is at work on the one that is not complete.
        if (work.isActive() && !manifest->partial && std::ranges::any_of(shown, [&](const AnyResult &other) {
                return manifestOf(other) && manifestOf(other)->partial && keyOf(domain, other) == work.key;
            })) {
            work.job.reset();
            work.stage = m_context.state.isStale(domain, *manifest) ? WorkStage::Stale : WorkStage::Complete;
        }
        seen.insert(work.key);
        all.push_back(std::move(work));
    }
    for (const auto &[key, asked] : m_asked) {
        const bool isShown = asked.domain == domain || isOfModel(key.kind.kind);
        if (!isShown || seen.contains(key))
            continue;
        const auto &data = m_context.state.data(domain);
        Work work{.key = key, .title = titleOf(asked.spec), .total = data ? data->rows : 0};
        stand(work, false, false);
        all.push_back(std::move(work));
    }
    return all;
}

std::optional<Work> WorkList::workOn(Domain domain, const UnitKind &kind) const
{
    std::optional<Work> found;
    for (Work &one : work(domain)) {
        if (one.key.kind == kind && one.isOfWholeModel() && (!found || one.isActive()))
            found = std::move(one);
    }
    return found;
}

bool WorkList::isComputing() const
{
    return std::ranges::any_of(m_asked, [this](const auto &asked) { return activeJob(asked.first).has_value(); });
}

bool WorkList::isComputing(const UnitKind &kind) const
{
    return std::ranges::any_of(kBothDomains, [&](Domain domain) {
        const auto found = workOn(domain, kind);
        return found && found->isActive();
    });
}

/// Whether nobody is at work on it and it is not there.
bool WorkList::isMissing(Domain domain, const UnitKind &kind) const
{
    const auto found = workOn(domain, kind);
    return !found || found->isLeft() || (found->job && found->job->cancelling);
}

/// What there is of it, complete or not.
std::optional<AnyResult> WorkList::foundOf(const Request &any) const
{
    const Request request = judgedByItsData(any);
    const UnitKind kind = kindOf(request.spec);
    std::optional<AnyResult> found;
    for (const AnyResult &result : m_context.state.shownResults(request.domain)) {
        if (resultKind(result) != kind || !manifestOf(result))
            continue;
        if (m_context.state.isStale(request.domain, *manifestOf(result)))
            continue;
        const auto spec = askedSpecOf(result);
        if (spec && isSameRequest(*spec, request.spec) && (!found || manifestOf(*found)->partial))
            found = result;
    }
    return found;
}

std::optional<WorkRequest> WorkList::requestOf(const Work &work) const
{
    if (const auto asked = m_asked.find(work.key); asked != m_asked.end())
        return asked->second;
    auto spec = work.result ? askedSpecOf(*work.result) : std::nullopt;
    if (!spec)
        return std::nullopt;
    return Request{work.key.domain, *std::move(spec)};
}

std::optional<JobInfo> WorkList::activeJob(const QString &tag) const
{
    for (JobInfo &job : m_context.queue.jobs()) {
        if (job.isActive() && !job.cancelling && job.spec.tag == tag)
            return std::move(job);
    }
    return std::nullopt;
}

std::optional<JobInfo> WorkList::activeJob(const WorkKey &key) const
{
    return activeJob(tagOf(key));
}

/// Whether it runs or has ended.
std::optional<JobInfo> WorkList::newestJob(const QString &tag) const
{
    const std::vector<JobInfo> jobs = m_context.queue.jobs();
    const auto found
        = std::ranges::find(jobs.rbegin(), jobs.rend(), tag, [](const JobInfo &job) { return job.spec.tag; });
    return found == jobs.rend() ? std::nullopt : std::optional(*found);
}

void WorkList::forget(const Work &work)
{
    if (work.isActive())
        return;
    if (work.isWhole()) {
        Q_EMIT removing();
        m_context.state.undoStack().push(
            new RemoveCommand(*this, m_context.state, work.key.domain, *work.result, tr("discard %1").arg(work.title)));
        return;
    }
    setJobError(tagOf(work.key), {});
    m_asked.erase(work.key);
    m_putOff.erase(work.key);
    if (work.result && m_context.keepsSweeps())
        release({manifestOf(*work.result)->key()});
    const Domain domain = work.key.domain;
    m_context.state.removePartialResults(domain,
                                         [&](const AnyResult &result) { return keyOf(domain, result) == work.key; });
    tell();
}

} // namespace headscope
