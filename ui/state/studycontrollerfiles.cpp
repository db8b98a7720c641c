// Saving and opening studies.
#include "ui/state/studycontroller.h"

#include "core/results/studypack.h"
#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/knownmachines.h"
#include "ui/state/trainingcontroller.h"
#include "ui/state/windowwords.h"

#include <QDir>
#include <QFileInfo>

#include <string>
#include <vector>

namespace headscope {

Study StudyController::study(const QString &layout) const
{
    Study study;
    if (m_state.model())
        study.model = asAsked(*m_state.model(), m_modelOptions);
    for (const Domain domain : kBothDomains)
        study.data[slotOf(domain)] = m_state.data(domain);
    study.mask = m_state.mask();
    study.pins.assign(m_state.pins().begin(), m_state.pins().end());
    study.run = m_run;
    study.roleThresholds = m_state.roleThresholds();
    study.layout = layout.toStdString();
    return study;
}

std::array<std::vector<AnyResult>, 2> StudyController::finishedResults() const
{
    return {m_state.finishedResults(Domain::In), m_state.finishedResults(Domain::Out)};
}

void StudyController::saveStudy(const QString &file, const QString &layout)
{
    m_state.setError(ErrorPlace::Study, {});
    const bool same = file == m_state.studyFile();
    QString owner;
    const auto lock = same && m_fileLock ? m_fileLock : lockStudy(file, &owner);
    if (!owner.isEmpty()) {
        m_state.setError(ErrorPlace::Study,
                         tr("Cannot save %1: it is open in another window of Headscope (%2). Choose another "
                            "name.")
                             .arg(QDir::toNativeSeparators(file), owner));
        return;
    }
    JobSpec spec{tr("Save %1").arg(QFileInfo(file).fileName()), QStringLiteral("save ") + file, JobLane::Files};
    spec.mustFinish = true;
    const auto saved = finishedResults();
    m_queue.start<StudyOnDisk>(
        spec,
        [study = study(layout), results = saved, path = file.toStdString(),
         known = same ? std::optional(m_onDisk) : std::nullopt](const JobControl &) {
            return headscope::saveStudy(study, results, path, known ? &*known : nullptr);
        },
        this,
        [this, file, lock, saved, revision = m_revision, shown = m_shown](const Result<StudyOnDisk> &result) {
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
            releaseKept(saved);
            keepWorkWithStudy();
            Q_EMIT studySaved();
        });
}

void StudyController::packStudy(const QString &file, bool withModel, const QString &layout)
{
    m_state.setError(ErrorPlace::Study, {});
    const QFileInfo info(file);
    const JobSpec spec{tr("Pack %1").arg(info.fileName()), QStringLiteral("pack ") + file, JobLane::Files};
    m_queue.start<PackedStudy>(
        spec,
        [study = study(layout), results = finishedResults(), name = info.completeBaseName().toStdString(),
         path = file.toStdString(), withModel](const JobControl &control) {
            return headscope::packStudy(study, results, name, path, withModel, control);
        },
        this,
        [this, file](const Result<PackedStudy> &result) {
            if (result.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(result.error().message));
            if (result.isOk())
                Q_EMIT studyPacked(file);
        });
}

void StudyController::openPacked(const QString &file, const QString &folder)
{
    m_state.setError(ErrorPlace::Study, {});
    const int opening = ++m_opening;
    const JobSpec spec{tr("Unpack %1").arg(QFileInfo(file).fileName()), QStringLiteral("model"), JobLane::Files};
    m_queue.start<std::filesystem::path>(
        spec,
        [path = file.toStdString(), folder = folder.toStdString()](const JobControl &control) {
            return unpackStudy(path, folder, control);
        },
        this,
        [this, opening](const Result<std::filesystem::path> &study) {
            if (study.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(study.error().message));
            if (study.isOk() && opening == m_opening)
                openStudy(QString::fromStdString(study.value().string()));
        });
}

/// What is not finished lies beside the study's results from now on.
void StudyController::keepWorkWithStudy()
{
    const auto session = m_state.session();
    if (!session || m_state.studyFile().isEmpty())
        return;
    const JobSpec spec{tr("Tidy kept work"), {}, JobLane::Files};
    m_queue.start<Done>(
        spec,
        [session, folder = unfinishedFolder(m_state.studyFile().toStdString())](const JobControl &) -> Result<Done> {
            session->keepWorkIn(folder);
            return Done{};
        },
        this, {});
}

void StudyController::openStudy(const QString &file, bool demo)
{
    m_state.setError(ErrorPlace::Study, {});
    const int opening = ++m_opening;
    const JobSpec spec{tr("Open %1").arg(QFileInfo(file).fileName()), QStringLiteral("model"), JobLane::Files};
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
        m_state.setError(ErrorPlace::Study,
                         tr("%1 is open in another window of Headscope.").arg(AutosavedStudies::read(file).name));
        return;
    }
    leaveStudy();
    m_keptFolder = folder;
    const AutosavedStudy about = kept ? AutosavedStudies::read(file) : AutosavedStudy{file, {}, file, {}, {}, {}, 0};
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
        m_state.setError(
            ErrorPlace::Study,
            tr("%1 is open in another window of Headscope (%2). This is a copy of it as it was saved last: save it "
               "under another name.")
                .arg(QDir::toNativeSeparators(origin), owner));
    ++m_revision;
    m_keptRevision = m_revision;
    m_savedRevision = kept ? m_revision - 1 : m_revision; // what was kept is in no file of the user's
    Q_EMIT modifiedChanged();
    Q_EMIT studyOpened(QString::fromStdString(loaded.study.layout));
    if (m_state.model())
        openModelOfStudy();
    checkUsedFiles();
}

/// A model of this machine at once; another machine is named by the file, and reached only once the user has agreed.
void StudyController::openModelOfStudy()
{
    const QString folder = QString::fromStdString(m_state.model()->folder.string());
    const QString host = QString::fromStdString(m_state.model()->host);
    if (host.isEmpty())
        return openModel(folder);
    if (machineInFile(host) == MachineInFile::UnknownCommand) {
        m_state.setError(
            ErrorPlace::Model,
            tr("The study's model is not on this machine. The file says that a command reaches it, and commands of "
               "files are not run: %1. If you trust it, type it into File ▸ Open on another machine.")
                .arg(host));
        return;
    }
    m_state.setError(ErrorPlace::Model,
                     tr("The study's model is on another machine, which was not asked: %1. File ▸ Open on another "
                        "machine reaches it.")
                         .arg(host));
    Q_EMIT machineNamed(host, folder);
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
        m_wanted[slotOf(domain)] = data ? std::optional(data->origin) : std::nullopt;
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
