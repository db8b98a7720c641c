// Saving and opening studies.
#include "ui/state/studycontroller.h"

#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/trainingcontroller.h"
#include "ui/state/windowwords.h"

#include <QDir>
#include <QFileInfo>

#include <string>
#include <vector>

namespace headscope {

namespace {
template<typename T>
std::shared_ptr<const T> share(const T &value)
{
    return std::make_shared<const T>(value);
}

/// The metric that a result judges by; empty where it judges nothing.
QString metricOf(const AnyResult &result)
{
    std::string metric;
    if (const auto *evaluation = std::get_if<EvaluationResult>(&result))
        metric = evaluation->metrics.empty() ? std::string() : evaluation->primary().name;
    else if (const auto *ablation = std::get_if<AblationResult>(&result))
        metric = ablation->baseline.name;
    else if (const auto *pruning = std::get_if<PruningResult>(&result))
        metric = pruning->metric;
    else if (const auto *search = std::get_if<SearchResult>(&result))
        metric = search->baseline.name;
    return QString::fromStdString(metric);
}

/// The place of a result among those of its data set: a newer one with the same tag replaces it.
QString tagOfResult(const AnyResult &result, Domain domain)
{
    const QString suffix = (domain == Domain::In ? QStringLiteral("-in-") : QStringLiteral("-out-")) + metricOf(result);
    if (const auto *evaluation = std::get_if<EvaluationResult>(&result))
        return (evaluation->mask.empty() ? QStringLiteral("baseline") : QStringLiteral("mask")) + suffix;
    if (const auto *pruning = std::get_if<PruningResult>(&result)) {
        // Curves of different orders and settings stand beside each other.
        return QStringLiteral("pruning") + suffix + u'-' + QString::fromStdString(pruning->manifest.spec);
    }
    if (const auto *ablation = std::get_if<AblationResult>(&result))
        return (ablation->allButOne ? QStringLiteral("all-but-one") : QStringLiteral("ablation")) + suffix;
    if (std::holds_alternative<ImportanceResult>(result))
        return QStringLiteral("importance") + suffix;
    if (std::holds_alternative<AttentionResult>(result))
        return QStringLiteral("attention");
    return QString::fromStdString(kindOf(result)) + suffix; // "confidence", "roles", "relevance", "search"
}
} // namespace

void StudyController::keepFinished(Domain domain, AnyResult result)
{
    const QString tag = tagOfResult(result, domain);
    const Manifest &fresh = *manifestOf(result);
    std::erase_if(m_finished[slotOf(domain)], [&](const auto &entry) { // the same of files that have changed since
        const Manifest &other = *manifestOf(*entry.second);
        return other.analysis == "prune" && fresh.analysis == "prune" && m_state.isStale(domain, other)
            && askedOptions(other) == askedOptions(fresh);
    });
    m_finished[slotOf(domain)][tag] = std::make_shared<const AnyResult>(std::move(result));
    setModified();
}

void StudyController::dropFinished(Domain domain, const QString &tag)
{
    std::erase_if(m_finished[slotOf(domain)], [&](const auto &entry) { return entry.first.startsWith(tag + u'-'); });
}

Study StudyController::study(const QString &layout) const
{
    Study study;
    if (m_state.model())
        study.model = studyModel(*m_state.model(), m_modelOptions);
    for (const Domain domain : kBothDomains) {
        if (const auto &card = m_state.data(domain))
            study.data[slotOf(domain)] = studyData(*card);
    }
    study.mask = m_state.mask();
    study.run = m_run;
    study.roleThresholds = m_state.roleThresholds();
    study.layout = layout.toStdString();
    return study;
}

StudyResults StudyController::studyResults() const
{
    const auto list = [](const FinishedResults &finished) {
        std::vector<AnyResult> results;
        for (const auto &[tag, result] : finished)
            results.push_back(*result);
        return results;
    };
    return {list(m_finished[0]), list(m_finished[1])};
}

void StudyController::saveStudy(const QString &file, const QString &layout)
{
    m_state.setError(ErrorPlace::Study, {});
    const bool same = file == m_state.studyFile();
    QString owner;
    const auto lock = same && m_fileLock ? m_fileLock : lockStudy(file, &owner);
    if (!owner.isEmpty()) {
        m_state.setError(ErrorPlace::Study, tr("Cannot save %1: it is open in another window of Headscope (%2). Choose another "
                                               "name.").arg(QDir::toNativeSeparators(file), owner));
        return;
    }
    JobSpec spec{tr("Save %1").arg(QFileInfo(file).fileName()), QStringLiteral("save ") + file, JobLane::Interactive};
    spec.mustFinish = true;
    m_queue.start<StudyOnDisk>(
        spec,
        [study = study(layout), results = studyResults(), path = file.toStdString(),
         known = same ? std::optional(m_onDisk) : std::nullopt](const JobControl &) {
            return headscope::saveStudy(study, results, path, known ? &*known : nullptr);
        },
        this, [this, file, lock, revision = m_revision, shown = m_shown](const Result<StudyOnDisk> &result) {
            if (result.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (!result.isOk() || shown != m_shown) // another study is shown by now
                return;
            m_demo = false;
            m_fileLock = lock;
            m_onDisk = result.value();
            m_state.setStudyFile(file);
            setSaved(revision);
            m_state.undoStack().setClean();
            Q_EMIT studySaved();
        });
}

void StudyController::openStudy(const QString &file, bool demo)
{
    m_state.setError(ErrorPlace::Study, {});
    const int opening = ++m_opening;
    const JobSpec spec{tr("Open %1").arg(QFileInfo(file).fileName()), QStringLiteral("model"), JobLane::Interactive};
    m_queue.start<LoadedStudy>(
        spec, [path = file.toStdString()](const JobControl &) { return loadStudy(path); }, this,
        [this, file, demo, opening](const Result<LoadedStudy> &result) {
            if (result.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (!result.isOk())
                return;
            whenKept([this, file, demo, opening, loaded = result.value()] {
                if (opening == m_opening)
                    onStudyRead(file, demo, loaded);
            });
        });
}

void StudyController::onStudyRead(const QString &file, bool demo, const LoadedStudy &loaded)
{
    const bool kept = m_kept.contains(file);
    const auto folder = kept ? m_kept.take(file) : nullptr;
    if (kept && !folder) {
        m_state.setError(ErrorPlace::Study, tr("%1 is open in another window of Headscope.").arg(KeptStudies::read(file).name));
        return;
    }
    leaveStudy();
    m_keptFolder = folder;
    const KeptStudy about = kept ? KeptStudies::read(file) : KeptStudy{file, {}, file, {}, {}};
    m_demo = demo;
    showStudy(loaded);
    QString owner;
    const QString origin = demo ? QString() : about.origin;
    if (!origin.isEmpty())
        m_fileLock = lockStudy(origin, &owner);
    m_onDisk = loaded.onDisk;
    if (kept)
        m_onDisk = {about.originHash.toStdString(), {}}; // what the file itself named is not known
    m_state.setStudyFile(owner.isEmpty() ? origin : QString());
    if (!owner.isEmpty())
        m_state.setError(ErrorPlace::Study,
                         tr("%1 is open in another window of Headscope (%2). This is a copy of it as it was saved last: save it "
                            "under another name.").arg(QDir::toNativeSeparators(origin), owner));
    ++m_revision;
    m_keptRevision = m_revision;
    m_savedRevision = kept ? m_revision - 1 : m_revision; // what was kept is in no file of the user's
    Q_EMIT modifiedChanged();
    Q_EMIT studyOpened(QString::fromStdString(loaded.study.layout));
    if (m_state.model())
        openModel(QString::fromStdString(m_state.model()->folder.string()));
    checkUsedFiles();
}

void StudyController::showStudy(const LoadedStudy &loaded)
{
    const Study &study = loaded.study;
    m_reopening = true;
    m_run = study.run;
    if (study.model) {
        m_modelOptions.device = study.model->device;
        m_modelOptions.dtype = study.model->dtype;
        m_modelOptions.sourceLanguage = study.model->sourceLanguage;
        m_modelOptions.targetLanguage = study.model->targetLanguage;
    }
    m_state.setModel(study.model ? std::optional(modelCard(*study.model)) : std::nullopt, nullptr);
    for (const ErrorPlace place : kErrorPlaces) {
        if (place != ErrorPlace::Study)
            m_state.setError(place, {});
    }
    chooseMetric(QString::fromStdString(study.run.metric));
    m_state.showRoleThresholds(study.roleThresholds);
    if (!study.mask.empty()) {
        m_state.setMask(study.mask, tr("open study"));
        m_state.undoStack().clear();
    }
    for (const Domain domain : kBothDomains) {
        const auto &data = study.data[slotOf(domain)];
        m_wanted[slotOf(domain)] = data ? std::optional(data->source) : std::nullopt;
        m_state.setData(domain, data ? std::optional(dataCard(*data)) : std::nullopt);
        for (const AnyResult &result : loaded.results[slotOf(domain)]) {
            m_finished[slotOf(domain)][tagOfResult(result, domain)] = std::make_shared<const AnyResult>(result);
            if (isJudgedByPresentMetric(result))
                showResult(domain, result);
        }
    }
    QString problems;
    for (const std::string &problem : loaded.problems)
        problems += (problems.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromStdString(problem);
    m_state.setError(ErrorPlace::Study, problems);
}

bool StudyController::isJudgedByPresentMetric(const AnyResult &result) const
{
    const QString metric = metricOf(result);
    return metric.isEmpty() || metric == m_state.metricName();
}

void StudyController::showResult(Domain domain, const AnyResult &result)
{
    if (const auto *ablation = std::get_if<AblationResult>(&result))
        m_state.setAblation(domain, share(*ablation));
    else if (const auto *importance = std::get_if<ImportanceResult>(&result))
        m_state.setImportance(domain, share(*importance));
    else if (const auto *confidence = std::get_if<ConfidenceResult>(&result))
        m_state.setConfidence(domain, share(*confidence));
    else if (const auto *roles = std::get_if<RolesResult>(&result))
        m_state.setRoles(domain, share(*roles));
    else if (const auto *relevance = std::get_if<RelevanceResult>(&result))
        m_state.setRelevance(domain, share(*relevance));
    else if (const auto *search = std::get_if<SearchResult>(&result))
        m_state.setSearch(domain, share(*search));
    else if (const auto *pruning = std::get_if<PruningResult>(&result))
        m_state.setPruning(domain, share(*pruning));
    else if (const auto *attention = std::get_if<AttentionResult>(&result))
        m_state.setAttention(share(*attention));
    else if (const auto *evaluation = std::get_if<EvaluationResult>(&result)) {
        if (evaluation->mask.empty())
            m_state.setBaseline(domain, share(*evaluation));
        else if (evaluation->mask == m_state.mask())
            m_state.setMasked(domain, share(*evaluation));
    }
}

} // namespace headscope
