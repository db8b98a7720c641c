#include "ui/state/studycontroller.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/speedspec.h"
#include "core/results/attentionresult.h"
#include "core/results/speedresult.h"
#include "ui/state/domainjobs.h"
#include "ui/state/knownmachines.h"
#include "ui/state/resultkinds.h"
#include "ui/state/trainingcontroller.h"

#include <QDir>
#include <QStringList>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

namespace headscope {

namespace {
constexpr int kMaskDebounceMs = 80; // masks that are closer together are one
constexpr int kKeepDelayMs = 1500;
constexpr int kWorkDelayMs = 200;

constexpr const char kAttentionTag[] = "attention";
} // namespace

StudyController::StudyController(StudyState &state, QObject *parent) : QObject(parent), m_state(state)
{
    m_maskTimer.setSingleShot(true);
    m_maskTimer.setInterval(0);
    connect(&m_maskTimer, &QTimer::timeout, this, [this] { evaluateMask(); });
    connect(&m_state, &StudyState::maskChanged, this, &StudyController::onMaskChanged);
    connect(&m_state, &StudyState::metricChanged, this, &StudyController::onMetricChanged);
    connect(&m_state, &StudyState::rolesChanged, this, &StudyController::setModified); // thresholds are of the study
    connect(&m_state, &StudyState::pinsChanged, this, &StudyController::setModified);
    connect(&m_state, &StudyState::gridUnitChanged, this, [this] {
        if (m_automatic)
            startMissing(false);
    });
    m_workTimer.setSingleShot(true);
    m_workTimer.setInterval(kWorkDelayMs);
    connect(&m_workTimer, &QTimer::timeout, this, &StudyController::workChanged);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobChanged, &JobQueue::jobFinished})
        connect(&m_queue, signal, this, &StudyController::tellWork);
    connect(&m_queue, &JobQueue::jobChanged, this, &StudyController::learnPace);
    connect(&m_state, &StudyState::resultsChanged, this, &StudyController::tellWork);
    connect(&m_state, &StudyState::staleChanged, this, &StudyController::tellWork);
    connect(&m_state, &StudyState::errorChanged, this, &StudyController::tellWork);
    connect(&m_state, &StudyState::dataChanged, this, &StudyController::tellWork);
    m_keepTimer.setSingleShot(true);
    m_keepTimer.setInterval(kKeepDelayMs);
    connect(&m_keepTimer, &QTimer::timeout, this, [this] {
        if (hasUnkept())
            keep({});
    });
}

StudyController::~StudyController() = default;

void StudyController::openModel(const QString &folder, const QString &host)
{
    m_state.setError(ErrorPlace::Model, {});
    ++m_opening;
    m_modelOptions.host = host.toStdString();
    const ModelCard *open = m_state.model();
    const bool same
        = open && QString::fromStdString(open->folder.string()) == folder && open->host == m_modelOptions.host;
    m_reopening = same && !m_otherModel; // who opens a folder that has become another model wants that one
    if (open && !same) {
        m_modelOptions.sourceLanguage.clear(); // they were the other model's
        m_modelOptions.targetLanguage.clear();
    }
    const JobSpec spec{tr("Open %1").arg(QDir(folder).dirName()), QStringLiteral("model"), JobLane::Interactive};
    const std::filesystem::path path = folder.toStdString();
    m_queue.start<std::shared_ptr<Session>>(
        spec,
        [path, options = m_modelOptions,
         study = m_reopening ? m_state.studyFile() : QString()](const JobControl &control) {
            auto session = Session::open(path, options, control);
            if (session.isOk() && !study.isEmpty())
                session.value()->keepWorkIn(unfinishedFolder(study.toStdString()));
            return session;
        },
        this,
        [this](const Result<std::shared_ptr<Session>> &result) {
            if (result.isError())
                m_state.setError(ErrorPlace::Model, QString::fromStdString(result.error().message));
            if (!result.isOk())
                return;
            if (const std::string &machine = result.value()->card().host; !machine.empty())
                rememberMachine(QString::fromStdString(machine));
            onModelOpened(result.value());
        });
}

void StudyController::onModelOpened(const std::shared_ptr<Session> &session)
{
    if (!m_reopening) {
        whenKept([this, session, opening = m_opening] {
            if (opening == m_opening)
                showModel(session);
        });
        return;
    }
    readModelAgain(session);
}

void StudyController::showModel(const std::shared_ptr<Session> &session)
{
    leaveStudy();
    m_demo = false;
    m_reopening = false;
    m_state.setStudyFile({});
    forgetPace();
    m_state.setModel(session->card(), session);
    chooseMetric(QString::fromStdString(m_run.metric));
    setModified();
    Q_EMIT modelOpened();
    applyPendingData();
    const bool hasPendingData = std::ranges::any_of(m_wanted, [](const auto &source) { return source.has_value(); });
    if (m_automatic && !hasPendingData) // else after what is of the data
        startMissing(false);
}

bool StudyController::ready(Domain domain) const
{
    return m_state.session() && m_state.rows(domain);
}

bool StudyController::canStart(const Request &request) const
{
    return traitsOf(request.spec).needsData() ? ready(request.domain) : m_state.session() != nullptr;
}

QString StudyController::whyNotReady() const
{
    if (ready(Domain::In) || ready(Domain::Out))
        return {};
    if (!m_state.model())
        return tr("Open a model first.");
    if (!m_state.session())
        return m_state.error(ErrorPlace::Model).isEmpty()
                 ? tr("The model is still being read.")
                 : tr("The model could not be read: the study panel says why. Open it again.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("Choose a data set first.");
    const bool failed = !m_state.error(ErrorPlace::InData).isEmpty() || !m_state.error(ErrorPlace::OutData).isEmpty();
    return failed ? tr("The data could not be read: the study panel says why. Choose them again.")
                  : tr("The data are still being read.");
}

/// Scores and losses need them; what heads attend to does not.
bool StudyController::hasReferences(Domain domain) const
{
    const auto &card = m_state.data(domain);
    return card && card->references;
}

/// `show`: every result that comes, `finish`: the last; `stopped`: there is none, and no error.
void StudyController::startResult(const JobSpec &spec, JobQueue::Work<AnyResult> work, const ShowResult &show,
                                  const ShowResult &finish, const std::function<void()> &stopped)
{
    const auto addFiles = [this](const AnyResult &result) {
        if (const Manifest *manifest = manifestOf(result))
            m_state.addFileHashes(usedFiles(*manifest)); // as they are now
    };
    setJobError(spec.tag, {});
    m_queue.start<AnyResult>(
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
void StudyController::setJobError(const QString &tag, const QString &text)
{
    if (tag == QLatin1String(kAttentionTag))
        return m_state.setError(ErrorPlace::Attention, text);
    m_jobErrors.erase(tag);
    if (!text.isEmpty())
        m_jobErrors[tag] = text;
    QStringList texts;
    for (const auto &[other, error] : m_jobErrors)
        texts << error;
    m_state.setError(ErrorPlace::Analysis, texts.join(u'\n'));
}

void StudyController::dismissErrors()
{
    std::erase_if(m_asked, [this](const auto &entry) { return m_jobErrors.contains(tagOf(entry.first)); });
    m_jobErrors.clear();
    tellWork();
    m_state.setError(ErrorPlace::Analysis, {});
}

void StudyController::start(Domain domain, AnySpec any, bool urgent)
{
    if (!canStart({domain, any}))
        return;
    any = withOutputs(judgedByItsData({domain, std::move(any)})).spec;
    const WorkKey key = keyOf(domain, any);
    m_unasked.erase(key);
    m_putOff.erase(key);
    m_until.erase(key);
    m_first.erase(key);
    enqueue(jobOf(any, domain, urgent, keepsSweeps()), key, {domain, any});
}

namespace {
/// A score that is wanted on `examples` only, 0: on all, ends as soon as it is there: its blocks grow faster than the
/// window hears of them. (On another machine it is stopped by the window.)
JobQueue::Work<AnyResult> workOf(const std::shared_ptr<Session> &session, const StudyController::Request &request,
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

void StudyController::enqueue(const JobSpec &job, const WorkKey &key, const Request &request)
{
    m_asked.insert_or_assign(key, request);
    const auto first = m_first.find(key);
    startResult(
        job, workOf(m_state.session(), request, first == m_first.end() ? 0 : first->second),
        [this, domain = request.domain, key](const AnyResult &partial) {
            m_state.addPartialResult(domain, partial);
            stopWhereEnough(key, partial);
        },
        [this, domain = request.domain, key](const AnyResult &result) {
            if (const Manifest *manifest = manifestOf(result); manifest && manifest->partial) { // enough of it for now
                m_state.addPartialResult(domain, result);
                return startRest(key, tagOf(key));
            }
            m_asked.erase(key);
            m_first.erase(key);
            if (const auto job = newestJob(tagOf(key)))
                m_pace.learn(result, *job, wordsOf(domain));
            m_state.addResult(domain, result);
            showModelAlone();
            // Numbers of the model alone that nobody asked for are made anew as they were: there is nothing to save.
            if (!isOfModel(key.kind.kind) || m_unasked.erase(key) == 0)
                setModified();
        },
        [this, key, tag = job.tag] { startRest(key, tag); });
}

/// Without data, a grid of what they are needed for would stay empty: one of the model alone is shown until there are
/// some.
void StudyController::showModelAlone()
{
    const bool hasData = m_state.data(Domain::In) || m_state.data(Domain::Out);
    if (hasData && std::exchange(m_measuresModel, false) && infoOf(m_state.measure()).isOfModel)
        m_state.setMeasure(Measure::AblationDelta);
    if (hasData || infoOf(m_state.measure()).isOfModel)
        return;
    const auto found = std::ranges::find_if(measures(), [this](const MeasureInfo &info) {
        return info.isOfModel && info.manifest(m_state.results(Domain::In), HeadUnit::Head);
    });
    if (found == measures().end())
        return;
    m_measuresModel = true;
    m_state.setMeasure(found->measure);
}

StudyController::Request StudyController::withOutputs(Request request)
{
    if (const auto evaluation = request.spec.as<EvaluationSpec>()) {
        EvaluationSpec kept = *evaluation;
        kept.outputs = true;
        request.spec = std::move(kept);
    }
    return request;
}

/// Where the data have other metrics than the model, none that was chosen for other data, and no name for the first.
StudyController::Request StudyController::judgedByItsData(Request request) const
{
    const QStringList own = m_state.judgingMetrics(request.domain);
    const auto &data = m_state.data(request.domain);
    const bool hasItsOwn = data && !data->metrics.empty();
    request.spec = request.spec.changed([&](auto &spec) {
        const QString metric = QString::fromStdString(spec.run.metric);
        if (!own.contains(metric) || (hasItsOwn && metric == own.front()))
            spec.run.metric.clear();
    });
    return request;
}

void StudyController::addResult(Domain domain, const AnyResult &result)
{
    m_state.addResult(domain, result);
    setModified();
}

void StudyController::requestAttention(const DataRow &row, bool useReference)
{
    const auto session = m_state.session();
    if (!session)
        return;
    std::optional<std::string> target;
    if (session->card().task == "translation")
        target = useReference ? std::optional(row.reference) : std::nullopt;
    else if (row.isPair || !row.pair.empty())
        target = row.pair;
    const JobSpec spec{tr("Attention"), QLatin1String(kAttentionTag), JobLane::Interactive};
    const auto show = [this](const AnyResult &result) { m_state.setAttention(result.as<AttentionResult>()); };
    startResult( // of one sentence: not kept, asked for again when needed
        spec,
        [session, source = row.source, target = target, tree = row.tree, mask = m_state.mask(),
         run = m_run](const JobControl &control, const auto &) -> Result<AnyResult> {
            auto attention = session->attention(source, target, mask, run, control, tree);
            if (attention.isOk())
                return AnyResult(std::move(attention).value());
            return attention.isCancelled() ? Result<AnyResult>::cancelled() : Result<AnyResult>(attention.error());
        },
        show, show);
}

/// What every study has of a data set, in the order in which it is computed.
std::vector<StudyController::Request> StudyController::usual(Domain domain) const
{
    std::vector<Request> all{{domain, ImportanceSpec{.run = m_run}}, {domain, ConfidenceSpec{.run = m_run}}};
    const HeadUnit unit = m_state.gridUnit();
    if (unit != HeadUnit::Head) { // beside those of heads, which other pages go by
        all.push_back({domain, ImportanceSpec{.run = m_run, .by = unit}});
        all.push_back({domain, ConfidenceSpec{.run = m_run, .by = unit}});
    }
    all.push_back({domain, RolesSpec{.run = m_run}});
    all.push_back({domain, EvaluationSpec{.run = m_run}});
    all.push_back({domain, AblationSpec{.run = m_run, .by = unit}});
    return all;
}

/// What every study has of a model, without data. Composition takes long where there are many heads, so that it is
/// asked for.
std::vector<StudyController::Request> StudyController::usualOfModel() const
{
    std::vector<Request> all{{Domain::In, WeightsSpec{.withoutComposition = true}}};
    const ModelCard *model = m_state.model();
    const bool isSingleStack = model && model->task != "translation"; // one that reads and writes is not detected in
    if (isSingleStack)
        all.push_back({Domain::In, DetectSpec{}});
    return all;
}

std::vector<StudyController::Request> StudyController::missing() const
{
    std::vector<Request> found;
    for (const Domain domain : kBothDomains) {
        if (!ready(domain) || !hasReferences(domain))
            continue;
        for (Request &request : usual(domain)) {
            if (isMissing(domain, kindOf(request.spec)))
                found.push_back(std::move(request));
        }
    }
    const bool readsData = std::ranges::any_of(kBothDomains, [this](Domain domain) { // whose values come first
        return m_wanted[slotOf(domain)] && !ready(domain) && m_state.error(dataPlace(domain)).isEmpty();
    });
    for (Request &request : usualOfModel()) {
        if (!readsData && canStart(request) && isMissing(request.domain, kindOf(request.spec)))
            found.push_back(std::move(request));
    }
    return found;
}

/// `asked`: somebody waits for it.
void StudyController::startMissing(bool asked)
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
    evaluateMask();
}

void StudyController::exportPruned(ExportForm form, std::optional<Domain> compensation, const QString &folder)
{
    const auto session = m_state.session();
    if (!session)
        return;
    const JobSpec job{tr("Write pruned model"), QLatin1String(kExportTag), JobLane::Batch, true};
    setJobError(job.tag, {});
    const ExportSpec spec{m_state.mask(), form, compensation};
    m_queue.start<PrunedCard>(
        job,
        [session, spec, folder = folder.toStdString()](const JobControl &control) {
            return session->exportPruned(spec, folder, control);
        },
        this,
        [this](const Result<PrunedCard> &result) {
            if (result.isError())
                setJobError(QLatin1String(kExportTag), QString::fromStdString(result.error().message));
        });
    Q_EMIT exportStarted(folder, form);
}

void StudyController::exportShared(const CollaborateSpec &spec, const QString &folder)
{
    const auto session = m_state.session();
    if (!session)
        return;
    const JobSpec job{tr("Write shared model"), QLatin1String(kSharedExportTag), JobLane::Batch, true};
    setJobError(job.tag, {});
    m_queue.start<Done>(
        job,
        [session, spec, path = folder.toStdString()](const JobControl &control) {
            return session->exportShared(spec, path, control);
        },
        this,
        [this, folder](const Result<Done> &result) {
            if (result.isOk())
                Q_EMIT sharedExported(folder);
            else if (result.isError())
                setJobError(QLatin1String(kSharedExportTag), QString::fromStdString(result.error().message));
        });
}

void StudyController::startSpeed(Domain domain, SpeedSpec spec)
{
    if (!ready(domain))
        return;
    spec.run = m_run;
    spec.mask = m_state.mask();
    const JobSpec job{tr("Speed, %1").arg(domainName(domain)), QLatin1String(kSpeedTag), JobLane::Batch, true};
    setJobError(job.tag, {});
    m_queue.start<SpeedResult>(
        job,
        [session = m_state.session(), domain, spec](const JobControl &control, const auto &publish) {
            return session->run<SpeedSpec>(domain, spec, control, publish);
        },
        this,
        [this](const Result<SpeedResult> &result) {
            if (result.isOk())
                m_state.setSpeed(std::make_shared<const SpeedResult>(result.value()));
            if (result.isError())
                setJobError(QLatin1String(kSpeedTag),
                            tr("Speed: %1").arg(QString::fromStdString(result.error().message)));
        },
        [this](const std::shared_ptr<const SpeedResult> &partial) { m_state.setSpeed(partial); });
}

void StudyController::onMaskChanged()
{
    for (const Domain domain : kBothDomains) {
        m_queue.cancelTag(tagOf({domain, ResultKind::Masked}));
        forgetAsked(domain, [](const AnySpec &spec) { return kindOf(spec).kind == ResultKind::Masked; });
    }
    setModified();
    // A click is answered at once; of masks that follow each other quickly, as a slider is dragged, only the last.
    const bool follows = m_lastMask.isValid() && m_lastMask.elapsed() < kMaskDebounceMs;
    m_lastMask.start();
    m_maskTimer.start(follows ? kMaskDebounceMs : 0);
}

/// One that the model cannot be judged by, from the command line or another model, is told.
void StudyController::chooseMetric(const QString &metric)
{
    m_run.metric.clear();
    if (metric.isEmpty() || !m_state.model())
        return;
    if (m_state.metricNames().contains(metric))
        return m_state.showMetric(metric);
    setJobError(QStringLiteral("metric"),
                tr("The heads of this model cannot be judged by %1. %2 is used instead; available: %3.")
                    .arg(metric, m_state.metricName(), m_state.metricNames().join(QStringLiteral(", "))));
}

void StudyController::onMetricChanged()
{
    const bool isFirst = m_state.metricName() == m_state.judgingMetrics(m_state.shownDomain()).value(0);
    m_run.metric = isFirst ? std::string() : m_state.metricName().toStdString();
    setModified();
    const auto isJudged = [](const AnySpec &spec) { return traitsOf(spec).goesByMetric(); };
    for (const auto &[key, asked] : m_asked) {
        if (isJudged(asked.spec))
            m_queue.cancelTag(tagOf(key));
    }
    for (const Domain domain : kBothDomains)
        forgetAsked(domain, isJudged);
    for (const Domain domain : kBothDomains)
        lookForUnfinished(domain);
    if (m_automatic)
        startMissing(false);
    m_maskTimer.start();
}

void StudyController::evaluateMask()
{
    if (m_state.mask().empty())
        return;
    for (const Domain domain : kBothDomains) {
        const auto found = workOn(domain, ResultKind::Masked);
        const bool stale = found && found->stage == WorkStage::Stale;
        if (hasReferences(domain) && (stale || isMissing(domain, ResultKind::Masked)))
            start(domain, EvaluationSpec{.run = m_run, .mask = m_state.mask(), .against = HeadMask()});
    }
}

} // namespace headscope
