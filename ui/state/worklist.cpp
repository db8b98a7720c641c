#include "ui/state/worklist.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/detectspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/weightsspec.h"
#include "core/results/anyresult.h"
#include "core/results/optionsjson.h"
#include "core/session/manifests.h"
#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"

#include <QStringList>

#include <algorithm>
#include <memory>
#include <utility>

namespace headscope {

namespace {
constexpr int kDelayMs = 200;

/// A score that is wanted on `examples` only, 0: on all, ends as soon as it is there: its blocks grow faster than the
/// window hears of them. (On another machine it is stopped by the window.)
JobQueue::Work<AnyResult> workOf(const std::shared_ptr<Session> &session, const WorkRequest &request,
                                 std::int64_t examples)
{
    const bool ends = examples > 0 && session->card().host.empty() && request.spec.is<EvaluationSpec>();
    return [session, request, examples, ends](const JobControl &control, const Publish<AnyResult> &publish) {
        std::optional<AnyResult> enough;
        const Result<AnyResult> result
            = session->runAny(request.domain, request.spec, control, [&](const AnyResult &partial) {
                  publish(partial);
                  if (!ends || examplesOf(partial) < examples)
                      return;
                  enough = partial;
                  throw Cancelled();
              });
        return enough && result.isCancelled() && !control.cancelled() ? Result<AnyResult>(*std::move(enough)) : result;
    };
}
} // namespace

WorkList::WorkList(StudyContext &context, QObject *parent) : QObject(parent), m_context(context)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kDelayMs);
    connect(&m_timer, &QTimer::timeout, this, &WorkList::changed);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobChanged, &JobQueue::jobFinished})
        connect(&m_context.queue, signal, this, &WorkList::tell);
    StudyState &state = m_context.state;
    connect(&state, &StudyState::resultsChanged, this, &WorkList::tell);
    connect(&state, &StudyState::staleChanged, this, &WorkList::tell);
    connect(&state, &StudyState::errorChanged, this, &WorkList::tell);
    connect(&state, &StudyState::dataChanged, this, &WorkList::tell);
}

bool WorkList::canStart(const Request &request) const
{
    return traitsOf(request.spec).needsData() ? m_context.isReady(request.domain)
                                              : m_context.state.session() != nullptr;
}

void WorkList::start(Domain domain, AnySpec any, bool urgent)
{
    if (!canStart({domain, any}))
        return;
    any = withOutputs(judgedByItsData({domain, std::move(any)})).spec;
    const WorkKey key = keyOf(domain, any);
    m_unasked.erase(key);
    m_putOff.erase(key);
    m_until.erase(key);
    m_first.erase(key);
    enqueue(jobOf(any, domain, urgent, m_context.keepsSweeps()), key, {domain, any});
}

void WorkList::enqueue(const JobSpec &job, const WorkKey &key, const Request &request)
{
    m_asked.insert_or_assign(key, request);
    const auto first = m_first.find(key);
    run(
        job, workOf(m_context.state.session(), request, first == m_first.end() ? 0 : first->second),
        [this, domain = request.domain, key](const AnyResult &partial) {
            m_context.state.addPartialResult(domain, partial);
            stopWhereEnough(key, partial);
        },
        [this, domain = request.domain, key](const AnyResult &result) {
            if (const Manifest *manifest = manifestOf(result); manifest && manifest->partial) { // enough of it for now
                m_context.state.addPartialResult(domain, result);
                return startRest(key, tagOf(key));
            }
            m_asked.erase(key);
            m_first.erase(key);
            m_context.state.addResult(domain, result);
            Q_EMIT computed(domain, result, tagOf(key));
            // Numbers of the model alone that nobody asked for are made anew as they were: there is nothing to save.
            if (!isOfModel(key.kind.kind) || m_unasked.erase(key) == 0)
                Q_EMIT modified();
        },
        [this, key, tag = job.tag] { startRest(key, tag); });
}

void WorkList::startAll(const std::vector<Request> &requests, std::int64_t examples)
{
    for (const Request &any : requests) {
        const Request request = judgedByItsData(any);
        const WorkKey key = keyOf(request.domain, request.spec);
        const auto asked = m_asked.find(key);
        const bool isAsked = asked != m_asked.end() && isSameRequest(asked->second.spec, request.spec);
        if (!activeJob(key) || !isAsked)
            start(request.domain, request.spec);
        stopAt(key, stopsAtExamples(request.spec) ? examples : 0);
    }
    tell();
}

void WorkList::startAgain(Domain domain, const AnyResult &like)
{
    try {
        start(domain, askedSpec(like));
    } catch (const Failure &failure) {
        setJobError(QStringLiteral("again"), QString::fromStdString(failure.error().message));
    }
}

void WorkList::resume(const Work &work, std::int64_t examples)
{
    if (!work.isActive()) {
        if (const auto asked = m_asked.find(work.key); asked != m_asked.end())
            start(work.key.domain, AnySpec(asked->second.spec), true);
        else if (work.result)
            startAgain(work.key.domain, *work.result);
    }
    stopAt(work.key, examples);
    tell();
}

WorkRequest WorkList::withOutputs(Request request)
{
    if (const auto evaluation = request.spec.as<EvaluationSpec>()) {
        EvaluationSpec kept = *evaluation;
        kept.outputs = true;
        request.spec = std::move(kept);
    }
    return request;
}

/// Where the data have other metrics than the model, none that was chosen for other data, and no name for the first.
WorkRequest WorkList::judgedByItsData(Request request) const
{
    const QStringList own = m_context.state.judgingMetrics(request.domain);
    const auto &data = m_context.state.data(request.domain);
    const bool hasItsOwn = data && !data->metrics.empty();
    request.spec = request.spec.changed([&](auto &spec) {
        const QString metric = QString::fromStdString(spec.run.metric);
        if (!own.contains(metric) || (hasItsOwn && metric == own.front()))
            spec.run.metric.clear();
    });
    return request;
}

/// What every study has of a data set, in the order in which it is computed.
std::vector<WorkRequest> WorkList::usual(Domain domain) const
{
    std::vector<Request> all{{domain, ImportanceSpec{.run = m_context.run}},
                             {domain, ConfidenceSpec{.run = m_context.run}}};
    const HeadUnit unit = m_context.state.gridUnit();
    if (unit != HeadUnit::Head) { // beside those of heads, which other pages go by
        all.push_back({domain, ImportanceSpec{.run = m_context.run, .by = unit}});
        all.push_back({domain, ConfidenceSpec{.run = m_context.run, .by = unit}});
    }
    all.push_back({domain, RolesSpec{.run = m_context.run}});
    all.push_back({domain, EvaluationSpec{.run = m_context.run}});
    all.push_back({domain, AblationSpec{.run = m_context.run, .by = unit}});
    return all;
}

/// What every study has of a model, without data. Composition takes long where there are many heads, so that it is
/// asked for.
std::vector<WorkRequest> WorkList::usualOfModel() const
{
    std::vector<Request> all{{Domain::In, WeightsSpec{.withoutComposition = true, .values = true}}};
    const ModelCard *model = m_context.state.model();
    const bool isSingleStack = model && model->task != "translation"; // one that reads and writes is not detected in
    if (isSingleStack)
        all.push_back({Domain::In, DetectSpec{}});
    return all;
}

std::vector<WorkRequest> WorkList::missing() const
{
    std::vector<Request> found;
    for (const Domain domain : kBothDomains) {
        if (!m_context.isReady(domain) || !m_context.hasReferences(domain))
            continue;
        for (Request &request : usual(domain)) {
            if (isMissing(domain, kindOf(request.spec)))
                found.push_back(std::move(request));
        }
    }
    const bool readsData = std::ranges::any_of(kBothDomains, [this](Domain domain) { // whose values come first
        return m_context.wanted[slotOf(domain)] && !m_context.isReady(domain)
            && m_context.state.error(dataPlace(domain)).isEmpty();
    });
    for (Request &request : usualOfModel()) {
        if (!readsData && canStart(request) && isMissing(request.domain, kindOf(request.spec)))
            found.push_back(std::move(request));
    }
    return found;
}

void WorkList::startMissing(bool asked)
{
    std::vector<Request> wanted = missing();
    if (!asked) {
        std::erase_if(wanted, [this](const Request &request) {
            const auto found = workOn(request.domain, kindOf(request.spec));
            return found && found->isPutOff;
        });
    }
    std::vector<Request> later; // the first job that is queued begins at once
    for (const Request &request : wanted) {
        if (const std::int64_t first = firstExamplesOf(request); first > 0)
            startFirst(request, first);
        else
            later.push_back(request);
    }
    for (const Request &request : later)
        start(request.domain, request.spec, false);
    for (const Request &request : wanted) {
        const AnalysisTraits traits = traitsOf(request.spec);
        if (!asked && (traits.runsManyMasks() || !traits.needsData()))
            m_unasked.insert(keyOf(request.domain, request.spec));
    }
}

/// `show`: every result that comes, `finish`: the last; `stopped`: there is none, and no error.
void WorkList::run(const JobSpec &spec, JobQueue::Work<AnyResult> work, const ShowResult &show,
                   const ShowResult &finish, const std::function<void()> &stopped)
{
    const auto addFiles = [this](const AnyResult &result) {
        if (const Manifest *manifest = manifestOf(result))
            m_context.state.addFileHashes(usedFiles(*manifest)); // as they are now
    };
    setJobError(spec.tag, {});
    m_context.queue.start<AnyResult>(
        spec, std::move(work), this,
        [this, spec, finish, stopped, addFiles](const Result<AnyResult> &result) {
            if (result.isOk()) {
                addFiles(result.value());
                finish(result.value());
            }
            if (result.isCancelled() && stopped)
                stopped();
            if (result.isError())
                setJobError(spec.tag, tr("%1: %2").arg(spec.name, QString::fromStdString(result.error().message)));
        },
        [show, addFiles](const std::shared_ptr<const AnyResult> &partial) {
            addFiles(*partial);
            show(*partial);
        });
}

/// Empty: nothing is wrong with the jobs of this tag any more. Errors of others stay.
void WorkList::setJobError(const QString &tag, const QString &text)
{
    if (tag == QLatin1String(kAttentionTag))
        return m_context.state.setError(ErrorPlace::Attention, text);
    m_jobErrors.erase(tag);
    if (!text.isEmpty())
        m_jobErrors[tag] = text;
    QStringList texts;
    for (const auto &[other, error] : m_jobErrors)
        texts << error;
    m_context.state.setError(ErrorPlace::Analysis, texts.join(u'\n'));
}

QString WorkList::errorOn(const QString &page, const std::optional<UnitKind> &also) const
{
    if (m_jobErrors.empty())
        return m_context.state.error(ErrorPlace::Analysis);
    QStringList texts;
    for (const auto &[tag, error] : m_jobErrors) {
        const auto asked = std::ranges::find_if(m_asked, [&](const auto &one) { return tagOf(one.first) == tag; });
        const QLatin1String shownOn(asked == m_asked.end() ? "" : infoOf(asked->first.kind.kind).page);
        if (shownOn.isEmpty() || shownOn == page || asked->first.kind == also)
            texts << error;
    }
    return texts.join(u'\n');
}

void WorkList::dismissErrors()
{
    std::erase_if(m_asked, [this](const auto &entry) { return m_jobErrors.contains(tagOf(entry.first)); });
    m_jobErrors.clear();
    tell();
    m_context.state.setError(ErrorPlace::Analysis, {});
}

/// What was begun of these data before, by this program or another, is shown as far as it is known.
void WorkList::lookForUnfinished(Domain domain)
{
    const auto session = m_context.state.session();
    const auto rows = m_context.state.rows(domain);
    if (!session || !rows || !m_context.keepsSweeps())
        return;
    using Partials = std::vector<AnyResult>;
    const JobSpec spec{tr("Look for unfinished work, %1").arg(domainName(domain)),
                       tagsOf(domain) + QStringLiteral("unfinished"), m_context.quietLane()};
    m_context.queue.start<Partials>(
        spec, [session, domain](const JobControl &control) { return session->unfinished(domain, control); }, this,
        [this, domain, rows](const Result<Partials> &result) {
            if (!result.isOk()
                || rows != m_context.state.rows(domain)) // an older core on another machine keeps nothing
                return;
            for (const AnyResult &partial : result.value()) {
                if (const Manifest *manifest = manifestOf(partial))
                    m_context.state.addFileHashes(usedFiles(*manifest));
                m_context.state.addLeftResult(domain, partial);
            }
        });
}

void WorkList::release(const std::vector<std::string> &keys)
{
    const auto session = m_context.state.session();
    if (!session || keys.empty())
        return;
    const JobSpec spec{tr("Tidy kept work"), {}, m_context.quietLane()};
    m_context.queue.start<Done>(spec,
                                [session, keys](const JobControl &) -> Result<Done> {
                                    session->release(keys);
                                    return Done{};
                                },
                                this, {});
}

void WorkList::cancelJobsOf(Domain domain)
{
    forgetAsked(domain, [](const AnySpec &spec) { return traitsOf(spec).needsData(); });
    for (const JobInfo &job : m_context.queue.jobs()) {
        if (job.spec.tag.startsWith(tagsOf(domain)))
            m_context.queue.cancel(job.id);
    }
}

void WorkList::forgetAsked(Domain domain, const std::function<bool(const AnySpec &)> &isMeant)
{
    std::erase_if(m_asked, [&](const auto &entry) {
        const bool isForgotten = entry.second.domain == domain && isMeant(entry.second.spec);
        if (isForgotten)
            m_first.erase(entry.first);
        return isForgotten;
    });
    tell();
}

void WorkList::tell()
{
    if (!m_timer.isActive())
        m_timer.start();
}

void WorkList::cancelAsked(const std::function<bool(const AnySpec &)> &isMeant)
{
    for (const auto &[key, asked] : m_asked) {
        if (isMeant(asked.spec))
            m_context.queue.cancelTag(tagOf(key));
    }
    for (const Domain domain : kBothDomains)
        forgetAsked(domain, isMeant);
}

void WorkList::clear()
{
    m_asked.clear();
    m_unasked.clear();
    m_putOff.clear();
    m_until.clear();
    m_first.clear();
    dismissErrors();
}

} // namespace headscope
