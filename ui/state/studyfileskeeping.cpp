// What no file of the user's holds is kept, every study by itself.
#include "ui/state/studyfiles.h"

#include "ui/state/studycontroller.h"

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

void StudyFiles::setKeptRoot(const QString &folder)
{
    m_kept = AutosavedStudies(folder);
    const JobSpec spec{tr("Clean up autosaved studies"), QStringLiteral("tidy"), JobLane::Files};
    // One after the other: both take the locks of programs that are gone, and a lock that is taken looks like an open
    // study.
    m_context.queue.start<QList<AutosavedStudy>>(
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

void StudyFiles::setModified()
{
    const bool before = isModified();
    ++m_revision;
    if (!m_kept.root().isEmpty())
        m_keepTimer.start();
    if (!before)
        Q_EMIT modifiedChanged();
}

/// The study's file holds everything up to `revision`.
void StudyFiles::setSaved(quint64 revision)
{
    const bool before = isModified();
    m_savedRevision = revision;
    if (m_keptFolder && m_keptRevision <= revision) {
        JobSpec spec{tr("Clean up autosaved studies"), {}, JobLane::Files};
        spec.mustFinish = true;
        m_context.queue.start<Done>(spec,
                                    [folder = m_keptFolder](const JobControl &) -> Result<Done> {
                                        folder->clear();
                                        return Done{};
                                    },
                                    this, {});
    }
    if (before != isModified())
        Q_EMIT modifiedChanged();
}

bool StudyFiles::hasUnkept() const
{
    if (m_kept.root().isEmpty() || !m_context.state.model() || m_revision <= std::max(m_savedRevision, m_keptRevision))
        return false;
    const bool data = m_context.state.data(Domain::In) || m_context.state.data(Domain::Out);
    return data || !m_context.state.mask().empty() || m_context.state.hasFinishedResults(Domain::In)
        || m_context.state.hasFinishedResults(Domain::Out);
}

void StudyFiles::whenKept(const std::function<void()> &next)
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
AutosavedStudy StudyFiles::description() const
{
    const QString file = m_context.state.studyFile();
    const QString model = QDir(QString::fromStdString(m_context.state.model()->folder.string())).dirName();
    AutosavedStudy about{{},
                         {},
                         file,
                         QString::fromStdString(m_onDisk.hash),
                         QDateTime::currentDateTime(),
                         {},
                         beamsOf(m_context.run, *m_context.state.model())};
    QStringList names{!file.isEmpty() ? QFileInfo(file).completeBaseName() : m_demo ? tr("Demo") : model};
    for (const Domain domain : kBothDomains) {
        if (const auto &card = m_context.state.data(domain)) {
            names << QString::fromStdString(card->name);
            about.examples << card->rows;
        }
    }
    about.name = names.join(QStringLiteral(" · "));
    return about;
}

void StudyFiles::keep(const std::function<void(const Result<Done> &)> &finished)
{
    m_keepTimer.stop();
    if (!m_keptFolder)
        m_keptFolder = m_kept.make();
    JobSpec spec{tr("Keep results"), {}, JobLane::Files};
    spec.mustFinish = true;
    const auto kept = finishedResults(m_context.state);
    m_context.queue.start<Done>(
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
                m_context.state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (result.isOk() && std::exchange(m_keepingFails, false))
                m_context.state.setError(ErrorPlace::Study, {});
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
void StudyFiles::releaseKept(const std::array<std::vector<AnyResult>, 2> &results)
{
    if (!m_context.keepsSweeps())
        return;
    std::vector<std::string> keys;
    for (const auto &finished : results) {
        for (const AnyResult &result : finished) {
            const Manifest *manifest = manifestOf(result);
            if (manifest && m_released.insert(manifest->key()).second)
                keys.push_back(manifest->key());
        }
    }
    m_controller.works().release(keys);
}

/// Before results leave the study by somebody's choice: they stay where they were kept, what follows is kept by itself.
void StudyFiles::setAside()
{
    if (hasUnkept())
        keep({});
    m_keptFolder.reset();
}

/// Null with `owner`: another window has the file open. Null without: the folder takes no lock, and no study either.
std::shared_ptr<QLockFile> StudyFiles::lockStudy(const QString &file, QString *owner) const
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

void StudyFiles::leave()
{
    m_keepTimer.stop();
    ++m_shown;
    m_savedRevision = m_keptRevision = m_revision;
    m_keptFolder.reset();
    m_fileLock.reset();
    m_onDisk = {};
    m_released.clear();
    m_demo = false;
}

} // namespace headscope
