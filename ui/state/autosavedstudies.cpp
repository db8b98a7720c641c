#include "ui/state/autosavedstudies.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QSaveFile>
#include <QUuid>

#include <algorithm>
#include <functional>

namespace headscope {

namespace {
const QLatin1String kAbout("about.json");
const QLatin1String kLock("lock");
const QLatin1String kStudy("study.headscope");

struct KeptWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::AutosavedStudies)
};
} // namespace

QStringList detailsOf(const AutosavedStudy &study)
{
    QStringList details;
    if (study.examples.size() == 1)
        details << KeptWords::tr("n %1").arg(countText(study.examples.front()));
    else if (study.examples.size() > 1)
        details << KeptWords::tr("n %1 and %2").arg(countText(study.examples[0]), countText(study.examples[1]));
    if (study.beams == 1)
        details << KeptWords::tr("greedy");
    else if (study.beams > 1)
        details << KeptWords::tr("%1 beams").arg(study.beams);
    return details << QLocale().toString(study.time, QLocale::ShortFormat);
}

AutosaveFolder::AutosaveFolder(const QString &folder) : m_folder(folder), m_lock(QDir(folder).filePath(kLock))
{
    m_lock.setStaleLockTime(0); // held for hours; a process that is gone is noticed
}

AutosaveFolder::~AutosaveFolder()
{
    if (!m_lock.isLocked())
        return;
    m_lock.unlock();
    if (!QFile::exists(studyFile()))
        QDir().rmdir(m_folder);
}

bool AutosaveFolder::describe(const AutosavedStudy &study) const
{
    QJsonObject about;
    about[QStringLiteral("name")] = study.name;
    about[QStringLiteral("origin")] = study.origin;
    about[QStringLiteral("originHash")] = study.originHash;
    about[QStringLiteral("time")] = study.time.toString(Qt::ISODateWithMs);
    QJsonArray examples;
    for (const qint64 count : study.examples)
        examples.append(count);
    about[QStringLiteral("examples")] = examples;
    about[QStringLiteral("beams")] = study.beams;
    QSaveFile file(QDir(m_folder).filePath(kAbout));
    return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(about).toJson()) >= 0 && file.commit();
}

void AutosaveFolder::clear() const
{
    QFile::remove(studyFile()); // first: without it nothing is offered
    QFile::remove(QDir(m_folder).filePath(kAbout));
    QDir(studyFile() + QStringLiteral(".results")).removeRecursively();
}

QStringList AutosavedStudies::folders() const
{
    QStringList folders;
    if (m_root.isEmpty())
        return folders;
    for (const QFileInfo &info : QDir(m_root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
        folders << info.absoluteFilePath();
    return folders;
}

QList<AutosavedStudy> AutosavedStudies::list() const
{
    QList<AutosavedStudy> studies;
    for (const QString &folder : folders()) {
        const QString file = QDir(folder).filePath(kStudy);
        // A lock that is there may be of a program that is gone; only then is it tried, for trying holds it a moment.
        const bool used = QFile::exists(QDir(folder).filePath(kLock)) && !take(file);
        if (QFile::exists(file) && !used)
            studies << read(file);
    }
    std::ranges::sort(studies, std::ranges::greater(), &AutosavedStudy::time);
    return studies;
}

std::shared_ptr<AutosaveFolder> AutosavedStudies::make() const
{
    constexpr int kAttempts = 3; // another window may just tidy away the empty folder
    for (int attempt = 0; attempt < kAttempts && !m_root.isEmpty(); ++attempt) {
        const QString folder = QDir(m_root).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces));
        const std::shared_ptr<AutosaveFolder> made(new AutosaveFolder(folder));
        if (QDir().mkpath(folder) && made->m_lock.tryLock(0))
            return made;
    }
    return nullptr;
}

std::shared_ptr<AutosaveFolder> AutosavedStudies::take(const QString &studyFile) const
{
    const std::shared_ptr<AutosaveFolder> taken(new AutosaveFolder(QFileInfo(studyFile).absolutePath()));
    return taken->m_lock.tryLock(0) ? taken : nullptr;
}

AutosavedStudy AutosavedStudies::read(const QString &studyFile)
{
    AutosavedStudy study;
    study.file = studyFile;
    study.time = QFileInfo(studyFile).lastModified();
    QFile file(QFileInfo(studyFile).absoluteDir().filePath(kAbout));
    if (!file.open(QIODevice::ReadOnly))
        return study;
    const QJsonObject about = QJsonDocument::fromJson(file.readAll()).object();
    study.name = about[QStringLiteral("name")].toString();
    study.origin = about[QStringLiteral("origin")].toString();
    study.originHash = about[QStringLiteral("originHash")].toString();
    const QDateTime time = QDateTime::fromString(about[QStringLiteral("time")].toString(), Qt::ISODateWithMs);
    study.time = time.isValid() ? time : study.time;
    for (const QJsonValue &count : about[QStringLiteral("examples")].toArray())
        study.examples << count.toInteger();
    study.beams = about[QStringLiteral("beams")].toInt();
    return study;
}

bool AutosavedStudies::contains(const QString &studyFile) const
{
    return !m_root.isEmpty()
        && QFileInfo(QFileInfo(studyFile).absolutePath()).absolutePath() == QDir(m_root).absolutePath();
}

void AutosavedStudies::remove(const QString &studyFile) const
{
    if (const auto folder = take(studyFile))
        folder->clear();
}

void AutosavedStudies::tidy() const
{
    const QDateTime oldest = QDateTime::currentDateTime().addDays(-kMostDays);
    const QList<AutosavedStudy> studies = list();
    for (qsizetype i = 0; i < studies.size(); ++i) {
        if (i >= kMost || studies[i].time < oldest)
            remove(studies[i].file);
    }
    for (const QString &folder : folders()) {
        const QString file = QDir(folder).filePath(kStudy);
        if (!QFile::exists(file)) // of a program that was killed before it kept anything
            remove(file);
    }
}

void AutosavedStudies::forgetAll() const
{
    for (const AutosavedStudy &study : list())
        remove(study.file);
}

} // namespace headscope
