// Models and data that are read again and have changed: what was computed of them before.
#include "core/results/anyresult.h"
#include "ui/state/studycontroller.h"

#include "core/analysis/analyses.h"
#include "ui/state/discardcommand.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"
#include "ui/state/trainingcontroller.h"
#include "ui/state/windowwords.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {
/// Whether results of one model can be shown with the card of the other: the same heads, judged alike. (Older studies
/// do not name all metrics.)
bool isAlike(const ModelCard &a, const ModelCard &b)
{
    return a.layout == b.layout && a.task == b.task && a.primaryMetric == b.primaryMetric;
}
} // namespace

void StudyController::readModelAgain(const std::shared_ptr<Session> &session)
{
    const ModelCard &now = session->card();
    const std::vector<std::string> changed = changedFiles(*m_state.model(), now);
    if (!changed.empty() && !isAlike(*m_state.model(), now)) {
        m_otherModel = session;
        m_state.setModelOnDisk(now, changed);
        m_state.setError(ErrorPlace::Model, tr("%1 has changed (%2). The results shown are of the old model.")
                                                .arg(QString::fromStdString(now.folder.string()), listText(changed)));
        return;
    }
    if (!changed.empty() || m_state.session()) { // jobs that still run are of the old one
        m_queue.cancelAllExcept(QLatin1String(kTrainingTag));
        for (const Domain domain : kBothDomains) {
            m_works.forgetAsked(domain, [](const AnySpec &) { return true; });
            m_state.forgetOtherMasks(domain);
        }
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
    for (const auto &finished : finishedResults(m_state)) {
        for (const AnyResult &result : finished) {
            if (const Manifest *manifest = manifestOf(result))
                files.merge(usedFiles(*manifest));
        }
    }
    if (files.empty())
        return;
    const JobSpec spec{tr("Check files of results"), QStringLiteral("files"), JobLane::Files};
    m_queue.start<FileHashes>(
        spec, [files](const JobControl &control) { return currentHashes(files, control); }, this,
        [this, shown = m_files.shown()](const Result<FileHashes> &result) {
            if (result.isOk() && shown == m_files.shown())
                m_state.addFileHashes(result.value());
        });
}

QString StudyController::whyNotRecomputed() const
{
    if (m_otherModel)
        return {};
    for (const StaleResult &stale : m_state.staleResults()) {
        if (m_context.isReady(stale.domain))
            return {};
    }
    return whyNotReady();
}

void StudyController::recomputeStale()
{
    std::array<std::vector<AnyResult>, 2> again;
    for (const Domain domain : kBothDomains) {
        for (const AnyResult &result : m_state.shownResults(domain)) {
            if (const Manifest *manifest = manifestOf(result); manifest && m_state.isStale(domain, *manifest))
                again[slotOf(domain)].push_back(result);
        }
    }
    if (m_otherModel) {
        m_files.whenKept([this, session = m_otherModel, again] {
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
            m_works.startAgain(domain, result);
    }
}

void StudyController::discardStale()
{
    if (m_state.staleResults().empty())
        return;
    m_files.setAside();
    m_state.undoStack().push(new DiscardCommand(
        m_state, [this] { m_files.setModified(); }, tr("discard outdated results")));
}

} // namespace headscope
