// What is computed of a few examples first, and what ends before all examples are done.
#include "ui/state/worklist.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/searchspec.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "ui/models/numbertext.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <algorithm>
#include <vector>

namespace headscope {

namespace {
constexpr std::int64_t kFirstOfScore = 64;
constexpr std::int64_t kFirstOfSweep = 8; // the engine's first block

/// Whether all that a result is made of rests on so many examples.
bool restsOn(const AnyResult &result, std::int64_t examples, std::int64_t units)
{
    if (examplesOf(result) < examples)
        return false;
    const auto sweep = result.as<AblationResult>();
    return !sweep || (std::ssize(sweep->heads) >= units && std::ranges::all_of(sweep->heads, [&](const auto &head) {
                          return head.examples >= examples;
                      }));
}
} // namespace

bool stopsAtExamples(const AnySpec &any)
{
    if (const auto pruning = any.as<PruningSpec>())
        return pruning->order != "greedy" && !pruning->reestimate && !pruning->eachKind;
    return any.is<AblationSpec>() || any.is<SearchSpec>();
}

/// Heads, or groups of them, that a sweep goes through.
std::int64_t WorkList::unitsOf(const WorkKey &key) const
{
    return key.kind.unit == HeadUnit::KeyGroup ? m_context.state.keyGroups().size() : m_context.state.layout().size();
}

/// Of what starts by itself: examples on which it is computed before everything else; 0: it is not, or has been.
/// A score is there on few enough that the sweep's first values come before a tenth of the examples is decoded for it.
std::int64_t WorkList::firstExamplesOf(const Request &request) const
{
    const auto &data = m_context.state.data(request.domain);
    const WorkKey key = keyOf(request.domain, request.spec);
    const std::int64_t rows = data ? data->rows : 0;
    std::int64_t first = 0;
    if (key.kind.kind == ResultKind::Baseline)
        first = std::clamp(rows / 10, kFirstOfSweep, kFirstOfScore);
    else if (key.kind.kind == ResultKind::Ablation)
        first = kFirstOfSweep;
    first = std::min(first, rows);
    const auto found = foundOf(request);
    return found && restsOn(*found, first, unitsOf(key)) ? 0 : first;
}

/// Before everything else in the background; startRest() follows.
void WorkList::startFirst(const Request &any, std::int64_t examples)
{
    const Request request = withOutputs(judgedByItsData(any));
    const WorkKey key = keyOf(request.domain, request.spec);
    JobSpec job = jobOf(request.spec, request.domain, true, m_context.keepsSweeps());
    job.name = tr("%1: first %2 examples").arg(job.name, countText(examples));
    job.lane = JobLane::Batch;
    job.share = shareOf(key, examples);
    m_putOff.erase(key);
    m_until.erase(key);
    m_first.erase(key);
    if (examples < m_context.state.data(request.domain)->rows) // else its end is that of all of them
        m_first[key] = examples;
    enqueue(job, key, request);
}

/// Once a job of this tag has stopped: the other examples, after all that is queued by now, unless somebody has stopped
/// it, or begun it anew.
void WorkList::startRest(const WorkKey &key, const QString &tag)
{
    const auto newest = newestJob(tag);
    if (!newest || newest->isActive())
        return;
    const auto asked = m_asked.find(key);
    if (m_first.erase(key) == 0 || newest->state != JobState::Done || asked == m_asked.end())
        return;
    const Request request = asked->second;
    JobSpec job = jobOf(request.spec, request.domain, false, m_context.keepsSweeps());
    if (const auto until = m_until.find(key); until != m_until.end())
        job.share = shareOf(key, until->second);
    enqueue(job, key, request);
}

double WorkList::shareOf(const WorkKey &key, std::int64_t examples) const
{
    const auto &data = m_context.state.data(key.domain);
    return data && data->rows > examples ? static_cast<double>(examples) / static_cast<double>(data->rows) : 1;
}

/// What is computed of it, now or later, ends at so many examples; 0: it does not.
void WorkList::stopAt(const WorkKey &key, std::int64_t examples)
{
    m_unasked.erase(key);
    if (examples > 0)
        m_until[key] = examples;
    else
        m_until.erase(key);
    if (const auto job = activeJob(key); job && !m_first.contains(key))
        m_context.queue.setShare(job->id, examples > 0 ? shareOf(key, examples) : 1);
}

/// After a partial result: where it is what was wanted, or nobody has asked for more of it.
void WorkList::stopWhereEnough(const WorkKey &key, const AnyResult &partial)
{
    const auto job = activeJob(key);
    const auto first = m_first.find(key);
    const auto until = m_until.find(key);
    const std::int64_t units = unitsOf(key);
    if (!job || !restsOn(partial, examplesOf(partial), first == m_first.end() ? 0 : units)) // the block is not done
        return;
    if (first != m_first.end()) {
        if (restsOn(partial, first->second, units))
            m_context.queue.finishEarly(job->id);
        return;
    }
    if (until != m_until.end() && examplesOf(partial) >= until->second) {
        m_until.erase(until);
        m_context.queue.finishEarly(job->id);
        return;
    }
    const auto sweep = partial.as<AblationResult>();
    if (!sweep || !m_unasked.contains(key) || std::ssize(sweep->heads) < units)
        return;
    const bool isMeasured = job->seconds - job->waited >= m_context.patience / 6;
    if (job->state == JobState::Running && isMeasured && job->secondsLeft > m_context.patience) {
        m_putOff.insert(key);
        m_unasked.erase(key);
        m_context.queue.cancel(job->id);
    }
}

} // namespace headscope
