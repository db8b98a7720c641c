// How the work on every result stands, and going on with what was left.
#include "ui/state/studycontroller.h"

#include "ui/state/domainjobs.h"

#include <QUndoCommand>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

namespace {
/// Examples that it rests on, where it counts them.
std::int64_t examplesOf(const SharedResult &result)
{
    return std::visit(
        [](const auto &one) -> std::int64_t {
            if constexpr (requires { one->examples; })
                return one->examples;
            else
                return 0;
        },
        result);
}

/// Removes one complete result; undone, it is back where nothing newer has taken its place.
class RemoveCommand final : public QUndoCommand
{
public:
    RemoveCommand(StudyController &controller, StudyState &state, Domain domain, SharedResult result,
                  const QString &text)
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
        const ResultKind kind = resultKind(refTo(m_result));
        const auto isOther = [&](const SharedResult &one) {
            return resultKind(refTo(one)) == kind && manifestOf(one) != manifestOf(m_result);
        };
        std::vector<SharedResult> whole;
        std::vector<SharedResult> begun;
        std::ranges::copy_if(m_state.finishedResults(m_domain), std::back_inserter(whole), isOther);
        for (const SharedResult &one : m_state.shownResults(m_domain)) {
            if (isOther(one) && manifestOf(one) && manifestOf(one)->partial)
                begun.push_back(one);
        }
        m_state.removeResults(m_domain, kind);
        m_state.putBack(m_domain, whole);
        for (const SharedResult &one : begun)
            m_state.addPartialResult(m_domain, one);
        m_controller.setModified();
    }

private:
    StudyController &m_controller;
    StudyState &m_state;
    Domain m_domain;
    SharedResult m_result;
};
} // namespace

std::vector<Work> StudyController::work(Domain domain) const
{
    std::map<QString, JobInfo> jobs;
    for (const JobInfo &job : m_queue.jobs()) {
        if (job.isActive())
            jobs[job.spec.tag] = job;
    }
    const auto stand = [&](Work &work, bool whole, bool stale) {
        const auto job = jobs.find(work.tag);
        const auto error = m_jobErrors.find(work.tag);
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
    };
    std::vector<Work> all;
    std::set<QString> seen;
    const std::vector<SharedResult> &shown = m_state.shownResults(domain);
    for (const SharedResult &result : shown) {
        const Manifest *manifest = manifestOf(result);
        if (!manifest)
            continue;
        Work work{.domain = domain,
                  .kind = resultKind(refTo(result)),
                  .tag = tagOf(result, domain),
                  .title = titleOf(result),
                  .ofWholeModel = maskedThroughout(refTo(result)).empty(),
                  .result = result,
                  .examples = examplesOf(result),
                  .total = manifest->totalExamples};
        stand(work, !manifest->partial, m_state.isStale(domain, *manifest));
        // Of several curves by one order, the job is at work on the one that is not complete.
        if (work.isActive() && !manifest->partial && std::ranges::any_of(shown, [&](const SharedResult &other) {
                return manifestOf(other) && manifestOf(other)->partial && tagOf(other, domain) == work.tag;
            })) {
            work.job.reset();
            work.stage = m_state.isStale(domain, *manifest) ? WorkStage::Stale : WorkStage::Complete;
        }
        seen.insert(work.tag);
        all.push_back(std::move(work));
    }
    for (const auto &[tag, asked] : m_asked) {
        if (asked.domain != domain || seen.contains(tag))
            continue;
        const auto &data = m_state.data(domain);
        Work work{.domain = domain,
                  .kind = kindOf(asked.spec),
                  .tag = tag,
                  .title = titleOf(asked.spec),
                  .ofWholeModel = isOfWholeModel(asked.spec),
                  .total = data ? data->rows : 0};
        stand(work, false, false);
        all.push_back(std::move(work));
    }
    return all;
}

std::optional<Work> StudyController::workOn(Domain domain, ResultKind kind) const
{
    std::optional<Work> found;
    for (Work &one : work(domain)) {
        if (one.kind == kind && one.ofWholeModel && (!found || one.isActive()))
            found = std::move(one);
    }
    return found;
}

bool StudyController::isComputing(ResultKind kind) const
{
    return std::ranges::any_of(kBothDomains, [&](Domain domain) {
        const auto found = workOn(domain, kind);
        return found && found->isActive();
    });
}

void StudyController::resume(const Work &work)
{
    if (work.isActive())
        return;
    if (const auto asked = m_asked.find(work.tag); asked != m_asked.end())
        start(work.domain, AnySpec(asked->second.spec), true);
    else if (work.result)
        startAgain(work.domain, *work.result);
}

void StudyController::forget(const Work &work)
{
    if (work.isActive())
        return;
    if (work.isWhole()) {
        setAside();
        m_state.undoStack().push(
            new RemoveCommand(*this, m_state, work.domain, *work.result, tr("discard %1").arg(work.title)));
        return;
    }
    setJobError(work.tag, {});
    m_asked.erase(work.tag);
    m_state.removePartialResults(work.domain,
                                 [&](const SharedResult &result) { return tagOf(result, work.domain) == work.tag; });
    tellWork();
}

/// Whether nobody is at work on it and it is not there.
bool StudyController::isMissing(Domain domain, ResultKind kind) const
{
    const auto found = workOn(domain, kind);
    return !found || found->isLeft() || (found->job && found->job->cancelling);
}

/// What is no longer wanted is not offered to be gone on with.
void StudyController::forgetAsked(Domain domain, ResultKinds kinds)
{
    std::erase_if(m_asked, [&](const auto &entry) {
        return entry.second.domain == domain && kinds.testFlag(kindOf(entry.second.spec));
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
