#pragma once

#include <QDateTime>
#include <QList>
#include <QLockFile>
#include <QString>
#include <QStringList>

#include <memory>

namespace headscope {

/// A study that the program kept by itself because no file of the user's holds all of it.
struct AutosavedStudy
{
    QString file;             ///< the study; opened as any other
    QString name;             ///< shown
    QString origin;           ///< the user's file that it goes on from; empty: it was never saved
    QString originHash;       ///< of that file when it was read or written last
    QDateTime time;           ///< kept when
    QList<qint64> examples{}; ///< of its data sets
    int beams = 0;            ///< by which its outputs are made, 1: greedy; 0: none, or not known
};

/// "n 1,000 and 461", "4 beams", when it was kept: as far as it is known.
QStringList detailsOf(const AutosavedStudy &study);

/// The folder of one kept study. As long as this object lives no other window opens or removes it.
class AutosaveFolder
{
    Q_DISABLE_COPY_MOVE(AutosaveFolder)
public:
    /// Unlocks the folder, and removes it where nothing is kept in it.
    ~AutosaveFolder();

    QString studyFile() const { return m_folder + QStringLiteral("/study.headscope"); }
    /// Says what is kept here, for the list; false where it cannot be written.
    bool describe(const AutosavedStudy &study) const;
    /// Removes what is kept: a file of the user's holds it now.
    void clear() const;

private:
    friend class AutosavedStudies;
    explicit AutosaveFolder(const QString &folder);

    QString m_folder;
    QLockFile m_lock;
};

/// All kept studies: a folder each in one place that the windows of a user share. The newest ones, of the last months,
/// stay.
class AutosavedStudies
{
public:
    explicit AutosavedStudies(const QString &root = {}) : m_root(root) { }

    const QString &root() const { return m_root; } ///< empty: nothing is kept
    /// The studies that no window has open, newest first.
    QList<AutosavedStudy> list() const;
    /// A new folder; null where none can be made.
    std::shared_ptr<AutosaveFolder> make() const;
    /// The folder of a kept study; null where another window has it open.
    std::shared_ptr<AutosaveFolder> take(const QString &studyFile) const;
    /// The description of an autosaved study; only its file if there is none.
    static AutosavedStudy read(const QString &studyFile);
    bool contains(const QString &studyFile) const;
    /// Removes what is too old or too much, and folders without a study.
    void tidy() const;
    /// Removes all that no window has open.
    void forgetAll() const;

    static constexpr int kMost = 20;
    static constexpr int kMostDays = 90;

private:
    QStringList folders() const;
    void remove(const QString &studyFile) const;

    QString m_root;
};

} // namespace headscope
