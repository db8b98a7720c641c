#include "ui/state/worktimes.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/pruningspec.h"
#include "core/results/anyresult.h"
#include "ui/models/numbertext.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr std::int64_t kPilotExamples = 24; // the engine's first two blocks
constexpr double kLeastOfPilot = 0.02;
const QString kPaceTag = QStringLiteral("pace-");
} // namespace

WorkTimes::WorkTimes(StudyContext &context, WorkList &works, std::function<void(std::optional<int>)> setBeams,
                     QObject *parent)
    : QObject(parent), m_context(context), m_works(works), m_setBeams(std::move(setBeams))
{
    connect(&m_context.queue, &JobQueue::jobChanged, this, &WorkTimes::learnPace);
    connect(&m_works, &WorkList::computed, this, &WorkTimes::learn);
}

void WorkTimes::learn(Domain domain, const AnyResult &result, const QString &tag)
{
    if (const auto job = m_works.newestJob(tag))
        m_pace.learn(result, *job, wordsOf(domain));
}

double WorkTimes::wordsOf(Domain domain) const
{
    const auto &data = m_context.state.data(domain);
    return data ? data->meanWords : 0;
}

/// While a job counts examples under masks.
void WorkTimes::learnPace(qint64 id)
{
    for (const JobInfo &job : m_context.queue.jobs()) {
        if (job.id != id)
            continue;
        for (const Domain domain : kBothDomains) {
            if (job.spec.tag.startsWith(tagsOf(domain)))
                m_pace.learn(job, wordsOf(domain));
        }
    }
}

/// What it scores under masks. Precondition: its data are open.
std::vector<Workload> WorkTimes::workloadsOf(const Request &request) const
{
    const std::int64_t rows = m_context.state.data(request.domain)->rows;
    const auto &other = m_context.state.data(otherDomain(request.domain));
    return workloadOf(request.spec, unitsOf(request.spec, *m_context.state.model()), rows, other ? other->rows : rows);
}

std::optional<double> WorkTimes::secondsOf(const Request &request) const
{
    const auto &data = m_context.state.data(request.domain);
    const ModelCard *model = m_context.state.model();
    if (!data || !model)
        return std::nullopt;
    const auto found = m_works.foundOf(request);
    if (found && !manifestOf(*found)->partial)
        return 0;
    const std::vector<Workload> works = workloadsOf(request);
    if (const auto job = m_works.activeJob(keyOf(request.domain, request.spec));
        job && job->state == JobState::Running && job->secondsLeft >= 0 && works.size() <= 1)
        return job->secondsLeft;
    Pace pace = m_pace;
    for (const Domain domain : {otherDomain(request.domain), request.domain}) { // its own count most
        for (const AnyResult &result : m_context.state.finishedResults(domain))
            pace.learn(result, model->device, wordsOf(domain));
    }
    const double words = wordsOf(request.domain);
    std::optional<double> seconds;
    for (const Workload &work : works) {
        const auto more = pace.secondsOf(work, words);
        if (!more)
            return std::nullopt;
        seconds = seconds.value_or(0) + *more;
    }
    if (works.empty())
        seconds = pace.secondsOf(traitsOf(request.spec).info->name, data->rows, words);
    if (seconds && found && data->rows > 0 && works.size() == 1)
        *seconds *= 1 - static_cast<double>(examplesOf(*found)) / static_cast<double>(data->rows);
    const auto needed = neededFor(request.spec);
    if (!needed || !seconds)
        return seconds;
    const auto before
        = secondsOf(Request{needed->ofOther ? otherDomain(request.domain) : request.domain, needed->spec});
    return before ? std::optional(*seconds + *before) : std::nullopt;
}

/// Nothing is said where masks are scored on a path that nothing has run on: what is known would be the smaller part.
std::optional<double> WorkTimes::secondsOf(const std::vector<Request> &requests) const
{
    std::optional<double> seconds;
    for (const Request &request : requests) {
        const auto one = secondsOf(request);
        if (!one && m_context.state.data(request.domain) && !workloadsOf(request).empty())
            return std::nullopt;
        if (one)
            seconds = seconds.value_or(0) + *one;
    }
    return seconds;
}

void WorkTimes::measurePace(const std::vector<Request> &requests)
{
    for (const Request &request : requests) {
        if (!m_context.isReady(request.domain) || !m_context.hasReferences(request.domain))
            continue;
        std::vector<Workload> works = workloadsOf(request);
        if (neededFor(request.spec))
            works.push_back({MaskCost::OneHead, 1});
        // One that was stopped is not begun again under another name.
        const auto sweep = m_works.workOn(request.domain, ResultKind::Ablation);
        const bool sweeps = m_works.isComputing(ResultKind::Ablation) || (sweep && sweep->isLeft());
        for (const Workload &work : works) {
            // A score by itself, the sweep's first examples and confidence come by themselves.
            const bool comes = (work.cost == MaskCost::Whole && !work.isPass)
                            || (work.cost == MaskCost::OneHead && m_context.automatic && sweeps)
                            || (work.isPass && m_context.automatic && m_works.isComputing(ResultKind::Confidence));
            if (work.examples > 0 && !comes && !m_pace.hasMeasured(work)
                && m_pilots.emplace(work.cost, work.isPass).second)
                startPilot(request.domain, work);
        }
    }
}

void WorkTimes::startPilot(Domain domain, const Workload &work)
{
    const AnySpec spec = pilotOf(work, m_context.run);
    const std::int64_t rows = m_context.state.data(domain)->rows;
    JobSpec job{tr("Measure how long masks take, %1").arg(domainName(domain)),
                tagsOf(domain) + kPaceTag + QString::number(static_cast<int>(work.cost))
                    + (work.isPass ? u"p"_s : QString()),
                JobLane::Batch, true};
    job.share = std::min(1.0, static_cast<double>(kPilotExamples) / static_cast<double>(rows));
    m_context.queue.start<AnyResult>(
        job,
        [session = m_context.state.session(), domain, spec](const JobControl &control,
                                                            const Publish<AnyResult> &publish) {
            std::string key; // of what the core keeps of it: nobody has asked for that
            const auto publishNamed = [&](const AnyResult &partial) {
                key = manifestOf(partial)->key();
                publish(partial);
            };
            Result<AnyResult> result = session->runAny(domain, spec, control, publishNamed);
            if (result.isOk())
                key = manifestOf(result.value())->key();
            if (!key.empty())
                session->release({key});
            return result;
        },
        this,
        [this, domain, tag = job.tag](const Result<AnyResult> &result) {
            const auto ended = m_works.newestJob(tag);
            if (result.isOk() && ended)
                m_pace.learn(result.value(), *ended, wordsOf(domain));
            m_works.tell();
        },
        [this, domain, work, tag = job.tag](const std::shared_ptr<const AnyResult> &partial) {
            const auto running = m_works.activeJob(tag);
            const bool isDone = running && running->progress.done >= running->progress.total;
            if (!isDone || examplesOf(*partial) < kPilotExamples)
                return;
            const double seconds = std::max(kLeastOfPilot, running->seconds - running->waited);
            const double rate
                = running->rate > 0 ? running->rate : static_cast<double>(running->progress.done) / seconds;
            if (work.isPass)
                return; // it is over soon
            m_pace.learn(work.cost, rate, wordsOf(domain));
            m_context.queue.finishEarly(running->id);
        });
}

bool WorkTimes::isMeasuringPace() const
{
    const std::vector<JobInfo> jobs = m_context.queue.jobs();
    return std::ranges::any_of(jobs,
                               [](const JobInfo &job) { return job.isActive() && job.spec.tag.contains(kPaceTag); });
}

void WorkTimes::forgetPace()
{
    m_pace.forget();
    m_pilots.clear();
}

/// With the present generation settings.
std::vector<WorkRequest> WorkTimes::withPresentOptions(std::vector<Request> requests) const
{
    for (Request &request : requests)
        request.spec = request.spec.changed([&](auto &spec) { spec.run = m_context.run; });
    return requests;
}

namespace {
/// Blocks of examples grow: the last one that fits into the time after those that are `done`, or the next one at all;
/// 0: there is none before all of them.
std::int64_t fewerExamples(const std::vector<WorkRequest> &requests, std::int64_t done, std::int64_t total,
                           double secondsEach, double seconds)
{
    const bool onlySweeps
        = std::ranges::all_of(requests, [](const WorkRequest &one) { return one.spec.is<AblationSpec>(); });
    std::int64_t fewer = 0;
    for (std::int64_t examples = 8, block = 16; examples < total; examples += block, block *= 2) {
        const bool fits = static_cast<double>(examples - done) * secondsEach <= seconds;
        // The first block shows curves and masks point by point, not whole.
        const bool isWhole = examples > 8 || onlySweeps;
        if (isWhole && examples > done && (fits || fewer == 0))
            fewer = examples;
    }
    return fewer;
}

/// Of every data set whose curves are asked for, the one by importance.
std::vector<WorkRequest> curvesByImportance(const std::vector<WorkRequest> &requests)
{
    std::vector<WorkRequest> byImportance;
    for (const WorkRequest &request : requests) {
        const auto pruning = request.spec.as<PruningSpec>();
        const bool isThere = std::ranges::any_of(
            byImportance, [&](const WorkRequest &other) { return other.domain == request.domain; });
        if (!pruning || isThere)
            continue;
        PruningSpec alone = *pruning;
        alone.order = "importance";
        alone.reestimate = false;
        byImportance.push_back({request.domain, alone});
    }
    return byImportance;
}
} // namespace

std::vector<WorkWay> WorkTimes::ways(const std::vector<Request> &requests)
{
    const auto seconds = secondsOf(requests);
    const bool isLong = seconds && *seconds > m_context.patience;
    std::vector<Way> found;
    if (isLong) {
        std::int64_t total = 0;
        std::int64_t done = requests.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
        for (const Request &request : requests) {
            const auto &data = m_context.state.data(request.domain);
            const auto result = m_works.foundOf(request);
            total = std::max(total, data ? data->rows : 0);
            done = std::min(done, result ? examplesOf(*result) : 0);
        }
        found.push_back({requests.size() == 1 ? tr("All %1 examples: %2").arg(countText(total), aboutTimeText(*seconds))
                                              : tr("All examples: %1").arg(aboutTimeText(*seconds)),
                         [this, requests] { m_works.startAll(requests); }});
        const double each = *seconds / static_cast<double>(std::max<std::int64_t>(1, total - done));
        const std::int64_t fewer = fewerExamples(requests, done, total, each, m_context.patience);
        const bool canStop = std::ranges::all_of(requests, stopsAtExamples, &Request::spec);
        if (fewer > 0 && canStop)
            found.push_back({tr("The first %1 examples: %2")
                                 .arg(countText(fewer), aboutTimeText(static_cast<double>(fewer - done) * each)),
                             [this, requests, fewer] { m_works.startAll(requests, fewer); }});
        const std::vector<Request> byImportance = curvesByImportance(requests);
        const auto alone = secondsOf(byImportance);
        if (alone && *alone > 0 && *alone < *seconds / 1.5)
            found.push_back({tr("Only the order by importance: %1").arg(aboutTimeText(*alone)),
                             [this, byImportance] { m_works.startAll(byImportance); }});
        const bool isSweep = requests.size() == 1 && kindOf(requests.front().spec).kind == ResultKind::Ablation;
        if (isSweep && m_context.state.results(requests.front().domain).importance)
            found.push_back({tr("Importance, which is computed already"),
                             [this] { m_context.state.setMeasure(Measure::Importance); }});
    }
    if (isLong && m_context.run.decoding.beams != 1)
        std::ranges::move(waysOfBeams(true, [this, requests] { m_works.startAll(withPresentOptions(requests)); }),
                          std::back_inserter(found));
    return found;
}

std::vector<WorkWay> WorkTimes::ways(const Work &work)
{
    const auto request = work.isWhole() ? std::nullopt : m_works.requestOf(work);
    std::vector<Way> found = request ? ways(std::vector{*request}) : std::vector<Way>();
    if (m_context.run.decoding.beams == 1)
        std::ranges::move(waysOfBeams(false), std::back_inserter(found));
    return found;
}

std::vector<WorkWay> WorkTimes::waysOfBeams(bool isLong, const std::function<void()> &start)
{
    const ModelCard *model = m_context.state.model();
    const bool beams = model && !model->generation.empty() && !model->generation.starts_with("greedy");
    const auto with = [this, start](std::optional<int> count) {
        m_setBeams(count);
        if (start)
            start();
    };
    if (beams && m_context.run.decoding.beams.value_or(2) > 1 && isLong)
        return {{tr("Everything with greedy outputs"), [with] { with(1); }}};
    if (beams && m_context.run.decoding.beams == 1)
        return {{tr("Everything with the model's own beams again"), [with] { with(std::nullopt); }}};
    return {};
}

} // namespace headscope
