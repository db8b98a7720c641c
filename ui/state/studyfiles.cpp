// Saving and opening studies.
#include "ui/state/studyfiles.h"

#include "core/results/studypack.h"
#include "ui/state/domainjobs.h"
#include "ui/state/knownmachines.h"
#include "ui/state/studycontroller.h"
#include "ui/state/windowwords.h"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>

#include <optional>
#include <vector>

namespace headscope {

namespace {
constexpr int kKeepDelayMs = 1500;

} // namespace

StudyFiles::StudyFiles(StudyContext &context, StudyController &controller, QObject *parent)
    : QObject(parent), m_context(context), m_controller(controller)
{
    m_keepTimer.setSingleShot(true);
    m_keepTimer.setInterval(kKeepDelayMs);
    connect(&m_keepTimer, &QTimer::timeout, this, [this] {
        if (hasUnkept())
            keep({});
    });
}

std::array<std::vector<AnyResult>, 2> finishedResults(const StudyState &state)
{
    return {state.finishedResults(Domain::In), state.finishedResults(Domain::Out)};
}

Study StudyFiles::study(const QString &layout) const
{
    Study study;
    if (m_context.state.model())
        study.model = asAsked(*m_context.state.model(), m_context.model);
    for (const Domain domain : kBothDomains)
        study.data[slotOf(domain)] = m_context.state.data(domain);
    study.mask = m_context.state.mask();
    study.pins.assign(m_context.state.pins().begin(), m_context.state.pins().end());
    study.run = m_context.run;
    study.roleThresholds = m_context.state.roleThresholds();
    study.layout = layout.toStdString();
    return study;
}

void StudyFiles::save(const QString &file, const QString &layout)
{
    m_context.state.setError(ErrorPlace::Study, {});
    const bool same = file == m_context.state.studyFile();
    QString owner;
    const auto lock = same && m_fileLock ? m_fileLock : lockStudy(file, &owner);
    if (!owner.isEmpty()) {
        m_context.state.setError(ErrorPlace::Study,
                                 tr("Cannot save %1: it is open in another window of Headscope (%2). Choose another "
                                    "name.")
                                     .arg(QDir::toNativeSeparators(file), owner));
        return;
    }
    JobSpec spec{tr("Save %1").arg(QFileInfo(file).fileName()), QStringLiteral("save ") + file, JobLane::Files};
    spec.mustFinish = true;
    const auto results = finishedResults(m_context.state);
    m_context.queue.start<StudyOnDisk>(
        spec,
        [study = study(layout), results, path = file.toStdString(),
         known = same ? std::optional(m_onDisk) : std::nullopt](const JobControl &) {
            return headscope::saveStudy(study, results, path, known ? &*known : nullptr);
        },
        this,
        [this, file, lock, results, revision = m_revision, shown = m_shown](const Result<StudyOnDisk> &result) {
            if (result.isError())
                m_context.state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (!result.isOk() || shown != m_shown) // another study is shown by now
                return;
            m_demo = false;
            m_fileLock = lock;
            m_onDisk = result.value();
            m_context.state.setStudyFile(file);
            setSaved(revision);
            m_context.state.undoStack().setClean();
            releaseKept(results);
            keepWorkWithStudy();
            Q_EMIT saved();
        });
}

void StudyFiles::pack(const QString &file, bool withModel, const QString &layout)
{
    m_context.state.setError(ErrorPlace::Study, {});
    const QFileInfo info(file);
    const JobSpec spec{tr("Pack %1").arg(info.fileName()), QStringLiteral("pack ") + file, JobLane::Files};
    m_context.queue.start<PackedStudy>(
        spec,
        [study = study(layout), results = finishedResults(m_context.state),
         name = info.completeBaseName().toStdString(), path = file.toStdString(), withModel](
            const JobControl &control) { return headscope::packStudy(study, results, name, path, withModel, control); },
        this,
        [this, file](const Result<PackedStudy> &result) {
            if (result.isError())
                m_context.state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (result.isOk())
                Q_EMIT packed(file);
        });
}

void StudyFiles::openPacked(const QString &file, const QString &folder)
{
    m_context.state.setError(ErrorPlace::Study, {});
    const int opening = ++m_context.opening;
    const JobSpec spec{tr("Unpack %1").arg(QFileInfo(file).fileName()), QStringLiteral("model"), JobLane::Files};
    m_context.queue.start<std::filesystem::path>(
        spec,
        [path = file.toStdString(), folder = folder.toStdString()](const JobControl &control) {
            return unpackStudy(path, folder, control);
        },
        this,
        [this, opening](const Result<std::filesystem::path> &study) {
            if (study.isError())
                m_context.state.setError(ErrorPlace::Study, QString::fromStdString(study.error().message));
            if (study.isOk() && opening == m_context.opening)
                open(QString::fromStdString(study.value().string()));
        });
}

/// What is not finished lies beside the study's results from now on.
void StudyFiles::keepWorkWithStudy()
{
    const auto session = m_context.state.session();
    if (!session || m_context.state.studyFile().isEmpty())
        return;
    const JobSpec spec{tr("Tidy kept work"), {}, JobLane::Files};
    m_context.queue.start<Done>(spec,
                                [session, folder = unfinishedFolder(m_context.state.studyFile().toStdString())](
                                    const JobControl &) -> Result<Done> {
                                    session->keepWorkIn(folder);
                                    return Done{};
                                },
                                this, {});
}

void StudyFiles::open(const QString &file, bool demo)
{
    m_context.state.setError(ErrorPlace::Study, {});
    const int opening = ++m_context.opening;
    const JobSpec spec{tr("Open %1").arg(QFileInfo(file).fileName()), QStringLiteral("model"), JobLane::Files};
    m_context.queue.start<LoadedStudy>(
        spec, [path = file.toStdString()](const JobControl &) { return loadStudy(path); }, this,
        [this, file, demo, opening](const Result<LoadedStudy> &result) {
            if (result.isError())
                m_context.state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (!result.isOk())
                return;
            whenKept([this, file, demo, opening, loaded = result.value()] {
                if (opening == m_context.opening)
                    onRead(file, demo, loaded);
            });
        });
}

void StudyFiles::onRead(const QString &file, bool demo, const LoadedStudy &loaded)
{
    const bool kept = m_kept.contains(file);
    const auto folder = kept ? m_kept.take(file) : nullptr;
    if (kept && !folder) {
        m_context.state.setError(
            ErrorPlace::Study, tr("%1 is open in another window of Headscope.").arg(AutosavedStudies::read(file).name));
        return;
    }
    m_controller.leaveStudy();
    m_keptFolder = folder;
    const AutosavedStudy about = kept ? AutosavedStudies::read(file) : AutosavedStudy{file, {}, file, {}, {}, {}, 0};
    m_demo = demo;
    m_controller.showStudy(loaded);
    QString owner;
    const QString origin = demo ? QString() : about.origin;
    if (!origin.isEmpty())
        m_fileLock = lockStudy(origin, &owner);
    m_onDisk = loaded.onDisk;
    if (kept)
        m_onDisk = {about.originHash.toStdString(), {}}; // what the file itself named is not known
    m_context.state.setStudyFile(owner.isEmpty() ? origin : QString());
    if (!owner.isEmpty())
        m_context.state.setError(
            ErrorPlace::Study,
            tr("%1 is open in another window of Headscope (%2). This is a copy of it as it was saved last: save it "
               "under another name.")
                .arg(QDir::toNativeSeparators(origin), owner));
    ++m_revision;
    m_keptRevision = m_revision;
    m_savedRevision = kept ? m_revision - 1 : m_revision; // what was kept is in no file of the user's
    Q_EMIT modifiedChanged();
    Q_EMIT opened(QString::fromStdString(loaded.study.layout));
    if (m_context.state.model())
        openModelOfStudy();
    m_controller.checkUsedFiles();
}

/// A model of this machine at once; another machine is named by the file, and reached only once the user has agreed.
void StudyFiles::openModelOfStudy()
{
    const QString folder = QString::fromStdString(m_context.state.model()->folder.string());
    const QString host = QString::fromStdString(m_context.state.model()->host);
    if (host.isEmpty())
        return m_controller.openModel(folder);
    if (machineInFile(host) == MachineInFile::UnknownCommand) {
        m_context.state.setError(
            ErrorPlace::Model,
            tr("The study's model is not on this machine. The file says that a command reaches it, and commands of "
               "files are not run: %1. If you trust it, type it into File ▸ Open on another machine.")
                .arg(host));
        return;
    }
    m_context.state.setError(
        ErrorPlace::Model,
        tr("The study's model is on another machine, which was not asked: %1. File ▸ Open on another "
           "machine reaches it.")
            .arg(host));
    Q_EMIT machineNamed(host, folder);
}

} // namespace headscope
