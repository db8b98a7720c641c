// How long work takes, before it begins and while it runs, and what takes less time.
#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/searchspec.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "ui/state/studycontroller.h"

#include "core/results/optionsjson.h"
#include "core/session/manifests.h"
#include "ui/models/numbertext.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

using namespace Qt::StringLiterals;

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

constexpr std::int64_t kPilotExamples = 24; // the engine's first two blocks
constexpr std::int64_t kPilotResamples = 1;
constexpr double kLeastOfPilot = 0.02;
const QString kPaceTag = QStringLiteral("pace-");

/// Whether its partial results rest on the same examples throughout, so that it can stop at fewer.
bool stopsAtExamples(const AnySpec &any)
{
    if (const auto pruning = any.as<PruningSpec>())
        return pruning->order != "greedy" && !pruning->reestimate && !pruning->eachKind;
    return any.is<AblationSpec>() || any.is<SearchSpec>();
}

} // namespace

double StudyController::wordsOf(Domain domain) const
{
    const auto &data = m_state.data(domain);
    return data ? data->meanWords : 0;
}

/// While a job counts examples under masks.
void StudyController::learnPace(qint64 id)
{
    for (const JobInfo &job : m_queue.jobs()) {
        if (job.id != id)
            continue;
        for (const Domain domain : kBothDomains) {
            if (job.spec.tag.startsWith(tagsOf(domain)))
                m_pace.learn(job, wordsOf(domain));
        }
    }
}

std::optional<JobInfo> StudyController::activeJob(const QString &tag) const
{
    for (JobInfo &job : m_queue.jobs()) {
        if (job.isActive() && !job.cancelling && job.spec.tag == tag)
            return std::move(job);
    }
    return std::nullopt;
}

std::optional<JobInfo> StudyController::activeJob(const WorkKey &key) const
{
    return activeJob(tagOf(key));
}

/// Whether it runs or has ended.
std::optional<JobInfo> StudyController::newestJob(const QString &tag) const
{
    const std::vector<JobInfo> jobs = m_queue.jobs();
    const auto found
        = std::ranges::find(jobs.rbegin(), jobs.rend(), tag, [](const JobInfo &job) { return job.spec.tag; });
    return found == jobs.rend() ? std::nullopt : std::optional(*found);
}

/// What there is of it, complete or not.
std::optional<AnyResult> StudyController::foundOf(const Request &any) const
{
    const Request request = judgedByItsData(any);
    const UnitKind kind = kindOf(request.spec);
    std::optional<AnyResult> found;
    for (const AnyResult &result : m_state.shownResults(request.domain)) {
        if (resultKind(result) != kind || !manifestOf(result))
            continue;
        if (m_state.isStale(request.domain, *manifestOf(result)))
            continue;
        const auto spec = askedSpecOf(result);
        if (spec && decidingOptionsOf(*spec) == decidingOptionsOf(request.spec)
            && (!found || manifestOf(*found)->partial))
            found = result;
    }
    return found;
}

std::optional<StudyController::Request> StudyController::requestOf(const Work &work) const
{
    if (const auto asked = m_asked.find(work.key); asked != m_asked.end())
        return asked->second;
    auto spec = work.result ? askedSpecOf(*work.result) : std::nullopt;
    if (!spec)
        return std::nullopt;
    return Request{work.key.domain, *std::move(spec)};
}

/// What it scores under masks. Precondition: its data are open.
std::vector<Workload> StudyController::workloadsOf(const Request &request) const
{
    const bool byGroup = m_state.hasKeyGroups() && request.spec.visit([](const auto &spec) {
        if constexpr (requires { spec.by; })
            return spec.by == HeadUnit::KeyGroup;
        else
            return false;
    });
    const std::int64_t rows = m_state.data(request.domain)->rows;
    const auto &other = m_state.data(otherDomain(request.domain));
    return workloadOf(request.spec, byGroup ? m_state.keyGroups() : m_state.layout(), rows, other ? other->rows : rows);
}

std::optional<double> StudyController::secondsOf(const Request &request) const
{
    const auto &data = m_state.data(request.domain);
    const ModelCard *model = m_state.model();
    if (!data || !model)
        return std::nullopt;
    const auto found = foundOf(request);
    if (found && !manifestOf(*found)->partial)
        return 0;
    const std::vector<Workload> works = workloadsOf(request);
    if (const auto job = activeJob(keyOf(request.domain, request.spec));
        job && job->state == JobState::Running && job->secondsLeft >= 0 && works.size() <= 1)
        return job->secondsLeft;
    Pace pace = m_pace;
    for (const Domain domain : {otherDomain(request.domain), request.domain}) { // its own count most
        for (const AnyResult &result : m_state.finishedResults(domain))
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
std::optional<double> StudyController::secondsOf(const std::vector<Request> &requests) const
{
    std::optional<double> seconds;
    for (const Request &request : requests) {
        const auto one = secondsOf(request);
        if (!one && m_state.data(request.domain) && !workloadsOf(request).empty())
            return std::nullopt;
        if (one)
            seconds = seconds.value_or(0) + *one;
    }
    return seconds;
}

void StudyController::measurePace(const std::vector<Request> &requests)
{
    for (const Request &request : requests) {
        if (!ready(request.domain) || !hasReferences(request.domain))
            continue;
        std::vector<Workload> works = workloadsOf(request);
        if (neededFor(request.spec))
            works.push_back({MaskCost::OneHead, 1});
        for (const Workload &work : works) {
            // A score by itself, the sweep's first examples and confidence come by themselves.
            const bool comes = (work.cost == MaskCost::Whole && !work.isPass)
                            || (work.cost == MaskCost::OneHead && m_automatic && isComputing(ResultKind::Ablation))
                            || (work.isPass && m_automatic && isComputing(ResultKind::Confidence));
            if (work.examples > 0 && !comes && !m_pace.hasMeasured(work)
                && m_pilots.emplace(work.cost, work.isPass).second)
                startPilot(request.domain, work);
        }
    }
}

/// A sweep, a curve in a random order, which needs nothing else, or confidence: on the path that others of its cost
/// take. Its own number of resamples keeps a sweep or curve apart from what somebody asks for.
void StudyController::startPilot(Domain domain, const Workload &work)
{
    AnySpec spec = AblationSpec{.run = m_run, .resamples = kPilotResamples};
    if (work.cost == MaskCost::ManyHeads)
        spec = PruningSpec{.run = m_run, .order = "random", .randomOrders = 1, .resamples = kPilotResamples};
    else if (work.isPass)
        spec = ConfidenceSpec{.run = m_run};
    const std::int64_t rows = m_state.data(domain)->rows;
    JobSpec job{tr("Measure how long masks take, %1").arg(domainName(domain)),
                tagsOf(domain) + kPaceTag + QString::number(static_cast<int>(work.cost))
                    + (work.isPass ? u"p"_s : QString()),
                JobLane::Batch, true};
    job.share = std::min(1.0, static_cast<double>(kPilotExamples) / static_cast<double>(rows));
    const auto key = std::make_shared<std::string>(); // of what the core keeps of it
    m_queue.start<AnyResult>(
        job,
        [session = m_state.session(), domain, spec](const JobControl &control, const Publish<AnyResult> &publish) {
            return session->runAny(domain, spec, control, publish);
        },
        this,
        [this, key, domain, tag = job.tag](const Result<AnyResult> &result) {
            const auto ended = newestJob(tag);
            if (result.isOk()) {
                *key = manifestOf(result.value())->key();
                if (ended)
                    m_pace.learn(result.value(), *ended, wordsOf(domain));
            }
            if (!key->empty())
                release({*key});
            tellWork();
        },
        [this, key, domain, work, tag = job.tag](const std::shared_ptr<const AnyResult> &partial) {
            *key = manifestOf(*partial)->key();
            const auto running = activeJob(tag);
            const bool isDone = running && running->progress.done >= running->progress.total;
            if (!isDone || examplesOf(*partial) < kPilotExamples)
                return;
            const double seconds = std::max(kLeastOfPilot, running->seconds - running->waited);
            const double rate
                = running->rate > 0 ? running->rate : static_cast<double>(running->progress.done) / seconds;
            if (work.isPass)
                return; // it is over soon
            m_pace.learn(work.cost, rate, wordsOf(domain));
            m_queue.finishEarly(running->id);
        });
}

bool StudyController::isComputingResults() const
{
    return std::ranges::any_of(m_asked, [this](const auto &asked) { return activeJob(asked.first).has_value(); });
}

bool StudyController::isMeasuringPace() const
{
    const std::vector<JobInfo> jobs = m_queue.jobs();
    return std::ranges::any_of(jobs,
                               [](const JobInfo &job) { return job.isActive() && job.spec.tag.contains(kPaceTag); });
}

void StudyController::forgetPace()
{
    m_pace.forget();
    m_pilots.clear();
}

void StudyController::startAll(const std::vector<Request> &requests, std::int64_t examples)
{
    for (const Request &any : requests) {
        const Request request = judgedByItsData(any);
        const WorkKey key = keyOf(request.domain, request.spec);
        const auto asked = m_asked.find(key);
        const bool isAsked
            = asked != m_asked.end() && decidingOptionsOf(asked->second.spec) == decidingOptionsOf(request.spec);
        if (!activeJob(key) || !isAsked)
            start(request.domain, request.spec);
        stopAt(key, stopsAtExamples(request.spec) ? examples : 0);
    }
    tellWork();
}

/// With the present generation settings.
std::vector<StudyController::Request> StudyController::withPresentOptions(std::vector<Request> requests) const
{
    for (Request &request : requests)
        request.spec = request.spec.changed([&](auto &spec) { spec.run = m_run; });
    return requests;
}

std::vector<StudyController::Way> StudyController::ways(const std::vector<Request> &requests)
{
    const auto seconds = secondsOf(requests);
    const bool isLong = seconds && *seconds > m_patience;
    std::vector<Way> found;
    if (isLong) {
        std::int64_t total = 0;
        std::int64_t done = requests.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
        for (const Request &request : requests) {
            const auto &data = m_state.data(request.domain);
            const auto result = foundOf(request);
            total = std::max(total, data ? data->rows : 0);
            done = std::min(done, result ? examplesOf(*result) : 0);
        }
        found.push_back({requests.size() == 1 ? tr("All %1 examples: %2").arg(countText(total), aboutTimeText(*seconds))
                                              : tr("All examples: %1").arg(aboutTimeText(*seconds)),
                         [this, requests] { startAll(requests); }});
        // Blocks of examples grow: the last one that fits into the time, or the next one at all.
        const bool onlySweeps
            = std::ranges::all_of(requests, [](const Request &one) { return one.spec.is<AblationSpec>(); });
        const double each = *seconds / static_cast<double>(std::max<std::int64_t>(1, total - done));
        std::int64_t fewer = 0;
        for (std::int64_t examples = 8, block = 16; examples < total; examples += block, block *= 2) {
            const bool fits = static_cast<double>(examples - done) * each <= m_patience;
            // The first block shows curves and masks point by point, not whole.
            const bool isWhole = examples > 8 || onlySweeps;
            if (isWhole && examples > done && (fits || fewer == 0))
                fewer = examples;
        }
        const bool canStop = std::ranges::all_of(requests, stopsAtExamples, &Request::spec);
        if (fewer > 0 && canStop)
            found.push_back({tr("The first %1 examples: %2")
                                 .arg(countText(fewer), aboutTimeText(static_cast<double>(fewer - done) * each)),
                             [this, requests, fewer] { startAll(requests, fewer); }});
        std::vector<Request> byImportance;
        for (const Request &request : requests) {
            const auto pruning = request.spec.as<PruningSpec>();
            const bool isThere = std::ranges::any_of(
                byImportance, [&](const Request &other) { return other.domain == request.domain; });
            if (!pruning || isThere)
                continue;
            PruningSpec alone = *pruning;
            alone.order = "importance";
            alone.reestimate = false;
            byImportance.push_back({request.domain, alone});
        }
        const auto alone = secondsOf(byImportance);
        if (alone && *alone > 0 && *alone < *seconds / 1.5)
            found.push_back({tr("Only the order by importance: %1").arg(aboutTimeText(*alone)),
                             [this, byImportance] { startAll(byImportance); }});
        const bool isSweep = requests.size() == 1 && kindOf(requests.front().spec).kind == ResultKind::Ablation;
        if (isSweep && m_state.results(requests.front().domain).importance)
            found.push_back(
                {tr("Importance, which is computed already"), [this] { m_state.setMeasure(Measure::Importance); }});
    }
    if (isLong && m_run.decoding.beams != 1)
        std::ranges::move(waysOfBeams(true, [this, requests] { startAll(withPresentOptions(requests)); }),
                          std::back_inserter(found));
    return found;
}

std::vector<StudyController::Way> StudyController::ways(const Work &work)
{
    const auto request = work.isWhole() ? std::nullopt : requestOf(work);
    std::vector<Way> found = request ? ways(std::vector{*request}) : std::vector<Way>();
    if (m_run.decoding.beams == 1)
        std::ranges::move(waysOfBeams(false), std::back_inserter(found));
    return found;
}

std::vector<StudyController::Way> StudyController::waysOfBeams(bool isLong, const std::function<void()> &start)
{
    const ModelCard *model = m_state.model();
    const bool beams = model && !model->generation.empty() && !model->generation.starts_with("greedy");
    const auto with = [this, start](std::optional<int> count) {
        setBeams(count);
        if (start)
            start();
    };
    if (beams && m_run.decoding.beams.value_or(2) > 1 && isLong)
        return {{tr("Everything with greedy outputs"), [with] { with(1); }}};
    if (beams && m_run.decoding.beams == 1)
        return {{tr("Everything with the model's own beams again"), [with] { with(std::nullopt); }}};
    return {};
}

} // namespace headscope
