#include "ui/state/studycontroller.h"

#include "core/analysis/evaluationspec.h"
#include "core/results/anyresult.h"
#include "core/results/attentionresult.h"
#include "ui/state/domainjobs.h"
#include "ui/state/knownmachines.h"
#include "ui/state/resultkinds.h"
#include "ui/state/trainingcontroller.h"

#include <QDir>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace headscope {

namespace {
constexpr int kMaskDebounceMs = 80; // masks that are closer together are one
} // namespace

StudyController::StudyController(StudyState &state, QObject *parent)
    : QObject(parent), m_state(state), m_context{state, m_queue}, m_works(m_context),
      m_times(m_context, m_works, [this](std::optional<int> beams) { setBeams(beams); }), m_files(m_context, *this),
      m_exports(m_context, m_works)
{
    m_maskTimer.setSingleShot(true);
    m_maskTimer.setInterval(0);
    connect(&m_maskTimer, &QTimer::timeout, this, [this] { evaluateMask(); });
    connect(&m_state, &StudyState::maskChanged, this, &StudyController::onMaskChanged);
    connect(&m_state, &StudyState::metricChanged, this, &StudyController::onMetricChanged);
    // Thresholds and pins are of the study.
    connect(&m_state, &StudyState::rolesChanged, &m_files, &StudyFiles::setModified);
    connect(&m_state, &StudyState::pinsChanged, &m_files, &StudyFiles::setModified);
    connect(&m_state, &StudyState::gridUnitChanged, this, [this] {
        if (m_context.automatic)
            startMissing(false);
    });
    connect(&m_works, &WorkList::modified, &m_files, &StudyFiles::setModified);
    connect(&m_works, &WorkList::computed, this, &StudyController::showModelAlone);
    connect(&m_works, &WorkList::removing, &m_files, &StudyFiles::setAside);
}

StudyController::~StudyController() = default;

/// `asked`: somebody waits for it.
void StudyController::startMissing(bool asked)
{
    m_works.startMissing(asked);
    evaluateMask();
}

void StudyController::leaveStudy()
{
    Q_EMIT leaving();
    m_queue.cancelAllExcept(QLatin1String(kTrainingTag));
    m_files.leave();
    m_otherModel.reset();
    m_again = {};
    m_works.clear();
    m_times.forgetPace();
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

void StudyController::openModel(const QString &folder, const QString &host)
{
    m_state.setError(ErrorPlace::Model, {});
    ++m_context.opening;
    m_context.model.host = host.toStdString();
    const ModelCard *open = m_state.model();
    const bool same
        = open && QString::fromStdString(open->folder.string()) == folder && open->host == m_context.model.host;
    m_reopening = same && !m_otherModel; // who opens a folder that has become another model wants that one
    if (open && !same) {
        m_context.model.sourceLanguage.clear(); // they were the other model's
        m_context.model.targetLanguage.clear();
    }
    const JobSpec spec{tr("Open %1").arg(QDir(folder).dirName()), QStringLiteral("model"), JobLane::Interactive};
    const std::filesystem::path path = folder.toStdString();
    m_queue.start<std::shared_ptr<Session>>(
        spec,
        [path, options = m_context.model,
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
        m_files.whenKept([this, session, opening = m_context.opening] {
            if (opening == m_context.opening)
                showModel(session);
        });
        return;
    }
    readModelAgain(session);
}

void StudyController::showModel(const std::shared_ptr<Session> &session)
{
    leaveStudy();
    m_reopening = false;
    m_state.setStudyFile({});
    m_times.forgetPace();
    m_state.setModel(session->card(), session);
    chooseMetric(QString::fromStdString(m_context.run.metric));
    m_files.setModified();
    Q_EMIT modelOpened();
    applyPendingData();
    const bool hasPendingData
        = std::ranges::any_of(m_context.wanted, [](const auto &source) { return source.has_value(); });
    if (m_context.automatic && !hasPendingData) // else after what is of the data
        startMissing(false);
}

QString StudyController::whyNotReady() const
{
    if (m_context.isReady(Domain::In) || m_context.isReady(Domain::Out))
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

void StudyController::addResult(Domain domain, const AnyResult &result)
{
    m_state.addResult(domain, result);
    m_files.setModified();
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
    m_works.run( // of one sentence: not kept, asked for again when needed
        spec,
        [session, source = row.source, target = target, tree = row.tree, mask = m_state.mask(),
         run = m_context.run](const JobControl &control, const auto &) -> Result<AnyResult> {
            auto attention = session->attention(source, target, mask, run, control, tree);
            if (attention.isOk())
                return AnyResult(std::move(attention).value());
            return attention.isCancelled() ? Result<AnyResult>::cancelled() : Result<AnyResult>(attention.error());
        },
        show, show);
}

void StudyController::onMaskChanged()
{
    for (const Domain domain : kBothDomains) {
        m_queue.cancelTag(tagOf({domain, ResultKind::Masked}));
        m_works.forgetAsked(domain, [](const AnySpec &spec) { return kindOf(spec).kind == ResultKind::Masked; });
    }
    m_files.setModified();
    // A click is answered at once; of masks that follow each other quickly, as a slider is dragged, only the last.
    const bool follows = m_lastMask.isValid() && m_lastMask.elapsed() < kMaskDebounceMs;
    m_lastMask.start();
    m_maskTimer.start(follows ? kMaskDebounceMs : 0);
}

/// One that the model cannot be judged by, from the command line or another model, is told.
void StudyController::chooseMetric(const QString &metric)
{
    m_context.run.metric.clear();
    if (metric.isEmpty() || !m_state.model())
        return;
    if (m_state.metricNames().contains(metric))
        return m_state.showMetric(metric);
    m_works.setJobError(QStringLiteral("metric"),
                        tr("The heads of this model cannot be judged by %1. %2 is used instead; available: %3.")
                            .arg(metric, m_state.metricName(), m_state.metricNames().join(QStringLiteral(", "))));
}

void StudyController::onMetricChanged()
{
    const bool isFirst = m_state.metricName() == m_state.judgingMetrics(m_state.shownDomain()).value(0);
    m_context.run.metric = isFirst ? std::string() : m_state.metricName().toStdString();
    m_files.setModified();
    const auto isJudged = [](const AnySpec &spec) { return traitsOf(spec).goesByMetric(); };
    m_works.cancelAsked(isJudged);
    for (const Domain domain : kBothDomains)
        m_works.lookForUnfinished(domain);
    if (m_context.automatic)
        startMissing(false);
    m_maskTimer.start();
}

void StudyController::evaluateMask()
{
    if (m_state.mask().empty())
        return;
    for (const Domain domain : kBothDomains) {
        const auto found = m_works.workOn(domain, ResultKind::Masked);
        const bool stale = found && found->stage == WorkStage::Stale;
        if (m_context.hasReferences(domain) && (stale || m_works.isMissing(domain, ResultKind::Masked)))
            m_works.start(domain, EvaluationSpec{.run = m_context.run, .mask = m_state.mask(), .against = HeadMask()});
    }
}

void StudyController::setBeams(std::optional<int> beams)
{
    if (m_context.run.decoding.beams == beams)
        return;
    m_files.setAside();
    m_context.run.decoding.beams = beams;
    m_times.forgetPace();
    for (const Domain domain : kBothDomains) {
        if (!m_context.isReady(domain))
            continue;
        m_works.cancelJobsOf(domain);
        m_state.removeResults(domain, kAllResultKinds & ~kindsOfModel());
        m_works.lookForUnfinished(domain);
    }
    m_files.setModified();
    startMissing(false);
}

void StudyController::showStudy(const LoadedStudy &loaded)
{
    const Study &study = loaded.study;
    m_reopening = true;
    m_context.run = study.run;
    if (study.model) {
        m_context.model.device = study.model->device;
        m_context.model.dtype = study.model->dtype;
        m_context.model.sourceLanguage = study.model->sourceLanguage;
        m_context.model.targetLanguage = study.model->targetLanguage;
    }
    m_state.setModel(study.model, nullptr);
    for (const ErrorPlace place : kErrorPlaces) {
        if (place != ErrorPlace::Study)
            m_state.setError(place, {});
    }
    m_state.showRoleThresholds(study.roleThresholds);
    std::set<HeadRef> pins(study.pins.begin(), study.pins.end());
    std::erase_if(pins, [this](const HeadRef &head) { return !m_state.layout().contains(head); });
    m_state.showPins(std::move(pins));
    if (!study.mask.empty()) {
        m_state.setMask(study.mask, tr("open study"));
        m_state.undoStack().clear();
    }
    for (const Domain domain : kBothDomains) {
        const auto &data = study.data[slotOf(domain)];
        m_context.wanted[slotOf(domain)] = data ? std::optional(data->origin) : std::nullopt;
        m_state.setData(domain, data);
        const std::vector<AnyResult> &results = loaded.results[slotOf(domain)];
        for (const AnyResult &result : results) {
            if (const auto attention = result.as<AttentionResult>())
                m_state.setAttention(attention);
        }
        m_state.putBack(domain, results);
    }
    chooseMetric(QString::fromStdString(study.run.metric)); // of those that data and results have
    QString problems;
    for (const std::string &problem : loaded.problems)
        problems += (problems.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromStdString(problem);
    m_state.setError(ErrorPlace::Study, problems);
}

} // namespace headscope
