// How the work on every result stands, and going on with what was left.
#include "ui/state/studycontroller.h"

#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <QLocale>
#include <QUndoCommand>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

namespace {
/// Removes one complete result; undone, it is back where nothing newer has taken its place.
class RemoveCommand final : public QUndoCommand
{
public:
    RemoveCommand(StudyController &controller, StudyState &state, Domain domain, AnyResult result, const QString &text)
        : QUndoCommand(text), m_controller(controller), m_state(state), m_domain(domain), m_result(std::move(result))
    {
    }

    void undo() override
    {
        m_state.putBack(m_domain, {m_result});
        m_controller.setModified();
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
        m_controller.setModified();
    }

private:
    StudyController &m_controller;
    StudyState &m_state;
    Domain m_domain;
    AnyResult m_result;
};
} // namespace

std::vector<Work> StudyController::work(Domain domain) const
{
    std::map<QString, JobInfo> jobs;
    std::map<QString, double> left; // seconds, of those that were stopped
    for (const JobInfo &job : m_queue.jobs()) {
        if (job.isActive())
            jobs[job.spec.tag] = job;
        else if (job.state == JobState::Cancelled)
            left[job.spec.tag] = job.secondsLeft;
    }
    const auto stand = [&](Work &work, bool whole, bool stale) {
        const QString tag = tagOf(work.key);
        const auto job = jobs.find(tag);
        const auto error = m_jobErrors.find(tag);
        const bool leaves = job != jobs.end() && job->second.cancelling; // it is about something else
        if (job != jobs.end() && !(whole && leaves)) {
            work.job = job->second;
            work.stage = job->second.state == JobState::Queued ? WorkStage::Queued
                       : job->second.paused                    ? WorkStage::Paused
                                                               : WorkStage::Running;
        } else if (whole) {
            work.stage = stale ? WorkStage::Stale : WorkStage::Complete;
        } else {
            work.stage = error == m_jobErrors.end() ? WorkStage::Partial : WorkStage::Failed;
        }
        if (work.stage == WorkStage::Failed)
            work.error = error->second;
        work.isPutOff = work.stage == WorkStage::Partial && m_putOff.contains(work.key);
        if (work.job)
            work.secondsLeft = work.job->secondsLeft;
        else if (const auto known = left.find(tag); work.stage == WorkStage::Partial && known != left.end())
            work.secondsLeft = known->second;
    };
    std::vector<Work> all;
    std::set<WorkKey> seen;
    const std::vector<AnyResult> &shown = m_state.shownResults(domain);
    for (const AnyResult &result : shown) {
        const Manifest *manifest = manifestOf(result);
        if (!manifest)
            continue;
        Work work{.key = keyOf(domain, result),
                  .title = titleOf(result),
                  .result = result,
                  .examples = examplesOf(result),
                  .total = manifest->totalExamples};
        stand(work, !manifest->partial, m_state.isStale(domain, *manifest));
        // Of several curves by one order, the job is at work on the one that is not complete.
        if (work.isActive() && !manifest->partial && std::ranges::any_of(shown, [&](const AnyResult &other) {
                return manifestOf(other) && manifestOf(other)->partial && keyOf(domain, other) == work.key;
            })) {
            work.job.reset();
            work.stage = m_state.isStale(domain, *manifest) ? WorkStage::Stale : WorkStage::Complete;
        }
        seen.insert(work.key);
        all.push_back(std::move(work));
    }
    for (const auto &[key, asked] : m_asked) {
        const bool isShown = asked.domain == domain || isOfModel(key.kind.kind);
        if (!isShown || seen.contains(key))
            continue;
        const auto &data = m_state.data(domain);
        Work work{.key = key, .title = titleOf(asked.spec), .total = data ? data->rows : 0};
        stand(work, false, false);
        all.push_back(std::move(work));
    }
    return all;
}

QString StudyController::errorOn(const QString &page, const std::optional<UnitKind> &also) const
{
    if (m_jobErrors.empty())
        return m_state.error(ErrorPlace::Analysis);
    QStringList texts;
    for (const auto &[tag, error] : m_jobErrors) {
        const auto asked = std::ranges::find_if(m_asked, [&](const auto &one) { return tagOf(one.first) == tag; });
        const QLatin1String shownOn(asked == m_asked.end() ? "" : infoOf(asked->first.kind.kind).page);
        if (shownOn.isEmpty() || shownOn == page || asked->first.kind == also)
            texts << error;
    }
    return texts.join(u'\n');
}

std::optional<Work> StudyController::workOn(Domain domain, const UnitKind &kind) const
{
    std::optional<Work> found;
    for (Work &one : work(domain)) {
        if (one.key.kind == kind && one.isOfWholeModel() && (!found || one.isActive()))
            found = std::move(one);
    }
    return found;
}

bool StudyController::isComputing(const UnitKind &kind) const
{
    return std::ranges::any_of(kBothDomains, [&](Domain domain) {
        const auto found = workOn(domain, kind);
        return found && found->isActive();
    });
}

void StudyController::resume(const Work &work, std::int64_t examples)
{
    if (!work.isActive()) {
        if (const auto asked = m_asked.find(work.key); asked != m_asked.end())
            start(work.key.domain, AnySpec(asked->second.spec), true);
        else if (work.result)
            startAgain(work.key.domain, *work.result);
    }
    stopAt(work.key, examples);
    tellWork();
}

void StudyController::forget(const Work &work)
{
    if (work.isActive())
        return;
    if (work.isWhole()) {
        setAside();
        m_state.undoStack().push(
            new RemoveCommand(*this, m_state, work.key.domain, *work.result, tr("discard %1").arg(work.title)));
        return;
    }
    setJobError(tagOf(work.key), {});
    m_asked.erase(work.key);
    m_putOff.erase(work.key);
    if (work.result && keepsSweeps())
        release({manifestOf(*work.result)->key()});
    const Domain domain = work.key.domain;
    m_state.removePartialResults(domain, [&](const AnyResult &result) { return keyOf(domain, result) == work.key; });
    tellWork();
}

/// What was begun of these data before, by this program or another, is shown as far as it is known.
void StudyController::lookForUnfinished(Domain domain)
{
    const auto session = m_state.session();
    const auto rows = m_state.rows(domain);
    if (!session || !rows || !keepsSweeps())
        return;
    using Partials = std::vector<AnyResult>;
    const bool here = m_modelOptions.host.empty(); // nothing here waits for another machine
    const JobSpec spec{tr("Look for unfinished work, %1").arg(domainName(domain)),
                       tagsOf(domain) + QStringLiteral("unfinished"), here ? JobLane::Files : JobLane::Elsewhere};
    m_queue.start<Partials>(
        spec, [session, domain](const JobControl &control) { return session->unfinished(domain, control); }, this,
        [this, domain, rows](const Result<Partials> &result) {
            if (!result.isOk() || rows != m_state.rows(domain)) // an older core on another machine keeps nothing
                return;
            for (const AnyResult &partial : result.value()) {
                if (const Manifest *manifest = manifestOf(partial))
                    m_state.addFileHashes(usedFiles(*manifest));
                m_state.addLeftResult(domain, partial);
            }
        });
}

void StudyController::setBeams(std::optional<int> beams)
{
    if (m_run.decoding.beams == beams)
        return;
    setAside();
    m_run.decoding.beams = beams;
    forgetPace();
    for (const Domain domain : kBothDomains) {
        if (!ready(domain))
            continue;
        cancelJobsOf(domain);
        m_state.removeResults(domain, kAllResultKinds & ~kindsOfModel());
        lookForUnfinished(domain);
    }
    setModified();
    startMissing(false);
}

/// Whether nobody is at work on it and it is not there.
bool StudyController::isMissing(Domain domain, const UnitKind &kind) const
{
    const auto found = workOn(domain, kind);
    return !found || found->isLeft() || (found->job && found->job->cancelling);
}

/// What is no longer wanted is not offered to be gone on with.
void StudyController::forgetAsked(Domain domain, const std::function<bool(const AnySpec &)> &isMeant)
{
    std::erase_if(m_asked, [&](const auto &entry) {
        const bool isForgotten = entry.second.domain == domain && isMeant(entry.second.spec);
        if (isForgotten)
            m_first.erase(entry.first);
        return isForgotten;
    });
    tellWork();
}

/// Jobs tell their progress twenty times a second: too often for lists.
void StudyController::tellWork()
{
    if (!m_workTimer.isActive())
        m_workTimer.start();
}

} // namespace headscope
