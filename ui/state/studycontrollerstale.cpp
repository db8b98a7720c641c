// Models and data that are read again and have changed: what was computed of them before.
#include "ui/state/studycontroller.h"

#include "core/analysis/analyses.h"
#include "core/results/optionsjson.h"
#include "ui/state/discardcommand.h"
#include "ui/state/domainjobs.h"
#include "ui/state/trainingcontroller.h"
#include "ui/state/windowwords.h"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

namespace {
/// Whether results of one model can be shown with the card of the other: the same heads, judged alike. (Older studies do not
/// name all metrics.)
bool isAlike(const ModelCard &a, const ModelCard &b)
{
    return a.layout == b.layout && a.task == b.task && a.primaryMetric == b.primaryMetric;
}

/// What a result was asked for. Throws Failure for a manifest that cannot be read.
template<typename Spec>
Spec specOf(const nlohmann::json &options)
{
    auto spec = optionsFrom<Spec>(options);
    spec.run = optionsFrom<RunOptions>(options);
    if constexpr (requires { AnalysisOf<Spec>::kSecond; })
        spec.*AnalysisOf<Spec>::kSecond.wanted = options.contains(secondOption<Spec>());
    return spec;
}
} // namespace

void StudyController::readModelAgain(const std::shared_ptr<Session> &session)
{
    const ModelCard &now = session->card();
    const std::vector<std::string> changed = changedFiles(studyModel(*m_state.model(), m_modelOptions), now);
    if (!changed.empty() && !isAlike(*m_state.model(), now)) {
        m_otherModel = session;
        m_state.setModelOnDisk(now, changed);
        m_state.setError(ErrorPlace::Model,
                         tr("%1 is another model now (changed: %2). What is shown is of the old one.")
                             .arg(QString::fromStdString(now.folder.string()), listText(changed)));
        return;
    }
    if (!changed.empty() || m_state.session()) { // jobs that still run are of the old one
        m_queue.cancelAllExcept(QLatin1String(kTrainingTag));
        m_maskScores = {};
    }
    m_state.setSession(session, changed);
    Q_EMIT modelOpened();
    applyPendingData();
    checkUsedFiles();
}

/// Results are also of files that their options name.
void StudyController::checkUsedFiles()
{
    FileHashes files;
    for (const FinishedResults &finished : m_finished) {
        for (const auto &[tag, result] : finished)
            files.merge(usedFiles(*manifestOf(*result)));
    }
    if (files.empty())
        return;
    const JobSpec spec{tr("Check files of results"), QStringLiteral("files"), JobLane::Interactive};
    m_queue.start<FileHashes>(
        spec, [files](const JobControl &control) { return currentHashes(files, control); }, this,
        [this, shown = m_shown](const Result<FileHashes> &result) {
            if (result.isOk() && shown == m_shown)
                m_state.addFileHashes(result.value());
        });
}

QString StudyController::whyNotRecomputed() const
{
    if (m_otherModel)
        return {};
    for (const StaleResult &stale : m_state.staleResults()) {
        if (ready(stale.domain))
            return {};
    }
    return whyNotReady();
}

void StudyController::recomputeStale()
{
    std::array<std::vector<AnyResult>, 2> again;
    for (const Domain domain : kBothDomains) {
        forEachResult(m_state.results(domain), [&](const auto &result) {
            if (m_state.isStale(domain, result->manifest))
                again[slotOf(domain)].emplace_back(*result);
        });
    }
    if (m_otherModel) {
        whenKept([this, session = m_otherModel, again] {
            if (session != m_otherModel)
                return;
            m_state.setError(ErrorPlace::Model, {});
            showModel(session);
            m_again = again;
        });
        return;
    }
    for (const Domain domain : kBothDomains) {
        for (const AnyResult &result : again[slotOf(domain)])
            startAgain(domain, result);
    }
}

/// With the options that `like` was asked for with.
void StudyController::startAgain(Domain domain, const AnyResult &like)
{
    const nlohmann::json options = nlohmann::json::parse(manifestOf(like)->spec, nullptr, false);
    const auto start = [&](const auto &result) {
        using T = std::decay_t<decltype(result)>;
        if constexpr (std::is_same_v<T, EvaluationResult>) {
            if (result.mask.empty())
                startBaseline(domain, optionsFrom<RunOptions>(options));
            else if (result.mask == m_state.mask())
                evaluateMask();
        } else if constexpr (std::is_same_v<T, AblationResult>) {
            startAblation(domain, specOf<AblationSpec>(options));
        } else if constexpr (std::is_same_v<T, ImportanceResult>) {
            startImportance(domain, specOf<ImportanceSpec>(options));
        } else if constexpr (std::is_same_v<T, ConfidenceResult>) {
            startConfidence(domain, optionsFrom<RunOptions>(options));
        } else if constexpr (std::is_same_v<T, RolesResult>) {
            startRoles(domain, specOf<RolesSpec>(options));
        } else if constexpr (std::is_same_v<T, RelevanceResult>) {
            startRelevance(domain, specOf<RelevanceSpec>(options));
        } else if constexpr (std::is_same_v<T, PruningResult>) {
            startPruning(domain, specOf<PruningSpec>(options));
        } else if constexpr (std::is_same_v<T, SearchResult>) {
            startSearch(domain, specOf<SearchSpec>(options));
        }
    };
    try {
        std::visit(start, like);
    } catch (const Failure &failure) {
        setJobError(QStringLiteral("again"), QString::fromStdString(failure.error().message));
    }
}

void StudyController::discardStale()
{
    if (m_state.staleResults().empty())
        return;
    setAside();
    m_state.undoStack().push(new DiscardCommand(*this, tr("discard outdated results")));
}

std::array<StudyController::FinishedResults, 2> StudyController::takeStale()
{
    std::array<FinishedResults, 2> taken;
    for (const Domain domain : kBothDomains) {
        std::erase_if(m_finished[slotOf(domain)], [&](const auto &entry) {
            const bool stale = m_state.isStale(domain, *manifestOf(*entry.second));
            if (stale)
                taken[slotOf(domain)].insert(entry);
            return stale;
        });
    }
    m_state.removeStaleResults();
    setModified();
    return taken;
}

void StudyController::putBack(const std::array<FinishedResults, 2> &results)
{
    for (const Domain domain : kBothDomains) {
        for (const auto &entry : results[slotOf(domain)]) {
            // Not over what has been computed anew since.
            if (m_finished[slotOf(domain)].insert(entry).second && isJudgedByPresentMetric(*entry.second))
                showResult(domain, *entry.second);
        }
    }
    setModified();
}

} // namespace headscope
