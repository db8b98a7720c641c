// What no file of the user's holds is kept, every study by itself.
#include "ui/state/studycontroller.h"

#include "ui/state/trainingcontroller.h"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace headscope {

namespace {
/// 1: greedy; 0: there are no outputs to make.
int beamsOf(const RunOptions &run, const ModelCard &model)
{
    if (model.generation.empty())
        return 0;
    return run.decoding.beams.value_or(model.generation.starts_with("greedy") ? 1
                                                                              : std::atoi(model.generation.c_str()));
}
} // namespace

void StudyController::setKeptRoot(const QString &folder)
{
    m_kept = AutosavedStudies(folder);
    const JobSpec spec{tr("Clean up autosaved studies"), QStringLiteral("tidy"), JobLane::Files};
    // One after the other: both take the locks of programs that are gone, and a lock that is taken looks like an open
    // study.
    m_queue.start<QList<AutosavedStudy>>(
        spec,
        [kept = m_kept](const JobControl &) -> Result<QList<AutosavedStudy>> {
            kept.tidy();
            return kept.list();
        },
        this,
        [this](const Result<QList<AutosavedStudy>> &studies) {
            if (studies.isOk())
                Q_EMIT keptListed(studies.value());
        });
}

void StudyController::setModified()
{
    const bool before = isModified();
    ++m_revision;
    if (!m_kept.root().isEmpty())
        m_keepTimer.start();
    if (!before)
        Q_EMIT modifiedChanged();
}

/// The study's file holds everything up to `revision`.
void StudyController::setSaved(quint64 revision)
{
    const bool before = isModified();
    m_savedRevision = revision;
    if (m_keptFolder && m_keptRevision <= revision) {
        JobSpec spec{tr("Clean up autosaved studies"), {}, JobLane::Files};
        spec.mustFinish = true;
        m_queue.start<Done>(spec,
                            [folder = m_keptFolder](const JobControl &) -> Result<Done> {
                                folder->clear();
                                return Done{};
                            },
                            this, {});
    }
    if (before != isModified())
        Q_EMIT modifiedChanged();
}

bool StudyController::hasUnkept() const
{
    if (m_kept.root().isEmpty() || !m_state.model() || m_revision <= std::max(m_savedRevision, m_keptRevision))
        return false;
    const bool data = m_state.data(Domain::In) || m_state.data(Domain::Out);
    return data || !m_state.mask().empty() || m_state.hasFinishedResults(Domain::In)
        || m_state.hasFinishedResults(Domain::Out);
}

void StudyController::whenKept(const std::function<void()> &next)
{
    if (!hasUnkept()) {
        next();
        return;
    }
    keep([this, next](const Result<Done> &result) {
        if (result.isError())
            Q_EMIT keepFailed(QString::fromStdString(result.error().message), next);
        else
            whenKept(next); // something may have been finished meanwhile
    });
}

/// What the list of kept studies says of this one.
AutosavedStudy StudyController::description() const
{
    const QString file = m_state.studyFile();
    const QString model = QDir(QString::fromStdString(m_state.model()->folder.string())).dirName();
    AutosavedStudy about{{},
                         {},
                         file,
                         QString::fromStdString(m_onDisk.hash),
                         QDateTime::currentDateTime(),
                         {},
                         beamsOf(m_run, *m_state.model())};
    QStringList names{!file.isEmpty() ? QFileInfo(file).completeBaseName() : m_demo ? tr("Demo") : model};
    for (const Domain domain : kBothDomains) {
        if (const auto &card = m_state.data(domain)) {
            names << QString::fromStdString(card->name);
            about.examples << card->rows;
        }
    }
    about.name = names.join(QStringLiteral(" · "));
    return about;
}

void StudyController::keep(const std::function<void(const Result<Done> &)> &finished)
{
    m_keepTimer.stop();
    if (!m_keptFolder)
        m_keptFolder = m_kept.make();
    JobSpec spec{tr("Keep results"), {}, JobLane::Files};
    spec.mustFinish = true;
    const auto kept = finishedResults();
    m_queue.start<Done>(
        spec,
        [study = study(m_layoutSource ? m_layoutSource() : QString()), results = kept, about = description(),
         folder = m_keptFolder, root = m_kept.root().toStdString()](const JobControl &) -> Result<Done> {
            const char *advice = "Free some space there, or save the study elsewhere.";
            if (!folder || !folder->describe(about))
                return resourceError("The results cannot be autosaved in " + root + ": it cannot be written. "
                                     + advice);
            const auto saved = headscope::saveStudy(study, results, folder->studyFile().toStdString());
            if (saved.isError())
                return resourceError("The results cannot be autosaved: " + saved.error().message + ' ' + advice);
            return Done{};
        },
        this,
        [this, finished, folder = m_keptFolder, revision = m_revision, kept](const Result<Done> &result) {
            if (result.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (result.isOk() && std::exchange(m_keepingFails, false))
                m_state.setError(ErrorPlace::Study, {});
            m_keepingFails = m_keepingFails || result.isError();
            if (result.isOk())
                releaseKept(kept);
            if (result.isOk() && folder == m_keptFolder)
                m_keptRevision = std::max(m_keptRevision, revision);
            if (finished)
                finished(result);
        });
}

/// A study on disk holds these results: nothing else needs to keep them.
void StudyController::releaseKept(const std::array<std::vector<AnyResult>, 2> &results)
{
    if (!keepsSweeps())
        return;
    std::vector<std::string> keys;
    for (const auto &finished : results) {
        for (const AnyResult &result : finished) {
            const Manifest *manifest = manifestOf(result);
            if (manifest && m_released.insert(manifest->key()).second)
                keys.push_back(manifest->key());
        }
    }
    release(keys);
}

/// The core need not keep anything of the results with these keys.
void StudyController::release(const std::vector<std::string> &keys)
{
    const auto session = m_state.session();
    if (!session || keys.empty())
        return;
    const bool here = m_modelOptions.host.empty(); // nothing here waits for another machine
    const JobSpec spec{tr("Tidy kept work"), {}, here ? JobLane::Files : JobLane::Elsewhere};
    m_queue.start<Done>(spec,
                        [session, keys](const JobControl &) -> Result<Done> {
                            session->release(keys);
                            return Done{};
                        },
                        this, {});
}

/// Before results leave the study by somebody's choice: they stay where they were kept, what follows is kept by itself.
void StudyController::setAside()
{
    if (hasUnkept())
        keep({});
    m_keptFolder.reset();
}

/// Before another model or study is shown. What was kept of this one stays.
void StudyController::leaveStudy()
{
    Q_EMIT leaving();
    m_queue.cancelAllExcept(QLatin1String(kTrainingTag));
    m_keepTimer.stop();
    ++m_shown;
    m_savedRevision = m_keptRevision = m_revision;
    m_keptFolder.reset();
    m_fileLock.reset();
    m_onDisk = {};
    m_otherModel.reset();
    m_again = {};
    m_asked.clear();
    m_unasked.clear();
    m_putOff.clear();
    m_until.clear();
    m_first.clear();
    m_released.clear();
    forgetPace();
    dismissErrors();
}

/// Null with `owner`: another window has the file open. Null without: the folder takes no lock, and no study either.
std::shared_ptr<QLockFile> StudyController::lockStudy(const QString &file, QString *owner) const
{
    const QFileInfo info(file);
    auto lock
        = std::make_shared<QLockFile>(info.absoluteDir().filePath(QStringLiteral(".%1.lock").arg(info.fileName())));
    lock->setStaleLockTime(0); // held for hours; a process that is gone is noticed
    if (lock->tryLock(0))
        return lock;
    if (lock->error() != QLockFile::LockFailedError)
        return nullptr;
    qint64 process = 0;
    QString host;
    QString program;
    lock->getLockInfo(&process, &host, &program);
    *owner = tr("process %1 on %2; if it is gone, delete %3")
                 .arg(process)
                 .arg(host, QDir::toNativeSeparators(lock->fileName()));
    return nullptr;
}

} // namespace headscope
