#pragma once

#include "core/session/studyrecord.h"
#include "ui/state/autosavedstudies.h"
#include "ui/state/studycontext.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace headscope {

class StudyController;

/// Files of studies: the user's, and those in which what no file of the user's holds is kept, every study by itself.
/// Lives on the GUI thread.
class StudyFiles final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyFiles)
public:
    StudyFiles(StudyContext &context, StudyController &controller, QObject *parent = nullptr);

    /// Keeps what no study file of the user's holds in this folder from now on; empty: nowhere.
    void setKeptRoot(const QString &folder);
    const AutosavedStudies &keptStudies() const { return m_kept; }
    /// Asked for whenever a study is kept: how the window looks, for opened().
    void setLayoutSource(std::function<QString()> source) { m_layoutSource = std::move(source); }

    /// Writes the study; `layout` is kept for receivers of opened(). Errors: ErrorPlace::Study; one is that another
    /// window has the file open, or has changed it.
    void save(const QString &file, const QString &layout);
    /// Packs the study as it is shown, saved or not (packStudy()); then packed() is emitted. Errors: ErrorPlace::Study.
    void pack(const QString &file, bool withModel, const QString &layout);
    /// Unpacks such a file into a new folder and opens the study in it.
    void openPacked(const QString &file, const QString &folder);
    /// Shows the saved results at once, then reads model and data again so that more can be computed. One that another
    /// window has open is shown as an untitled copy, and a kept one under the name that it had.
    void open(const QString &file) { open(file, false); }
    /// Opens the study that comes with the program as an untitled copy, so that it is never written to.
    void openDemo(const QString &file) { open(file, true); }
    /// Whether the demo is open and has not been saved under a name.
    bool isDemo() const { return m_demo; }

    /// Something of the study is other than before, and is to be kept.
    void setModified();
    /// Whether there is something that the study's file does not hold yet.
    bool isModified() const { return m_revision != m_savedRevision; }
    /// Whether there is something that neither the study's file nor the folder of kept studies holds yet.
    bool hasUnkept() const;
    /// Keeps what is not kept yet, then calls `next`: at once where nothing is to be done. Where it cannot be kept,
    /// keepFailed is emitted, and its receiver decides.
    void whenKept(const std::function<void()> &next);
    /// Before results leave the study by somebody's choice: they stay where they were kept, what follows is kept by
    /// itself.
    void setAside();
    /// Before another model or study is shown. What was kept of this one stays.
    void leave();
    int shown() const { return m_shown; } ///< counts studies

Q_SIGNALS:
    void opened(const QString &layout);
    /// The file of the study that was opened names this machine; nothing has been sent there.
    /// StudyController::openModel() reaches it.
    void machineNamed(const QString &host, const QString &folder);
    void saved();
    void packed(const QString &file);
    void modifiedChanged();
    /// What is in the folder of setKeptRoot() that no window has open, newest first.
    void keptListed(const QList<headscope::AutosavedStudy> &studies);
    /// The study could not be kept: `next` goes on and loses it.
    void keepFailed(const QString &error, const std::function<void()> &next);

private:
    void open(const QString &file, bool demo);
    void onRead(const QString &file, bool demo, const LoadedStudy &loaded);
    void openModelOfStudy();
    std::shared_ptr<QLockFile> lockStudy(const QString &file, QString *owner) const;
    AutosavedStudy description() const;
    void keep(const std::function<void(const Result<Done> &)> &finished);
    void setSaved(quint64 revision);
    Study study(const QString &layout) const;
    void keepWorkWithStudy();
    void releaseKept(const std::array<std::vector<AnyResult>, 2> &results);

    StudyContext &m_context;
    StudyController &m_controller;
    bool m_demo = false;
    int m_shown = 0;        ///< counts what was shown
    quint64 m_revision = 0; ///< counts changes; the study's file and the kept study hold these of them
    quint64 m_savedRevision = 0;
    quint64 m_keptRevision = 0;
    bool m_keepingFails = false;
    AutosavedStudies m_kept;
    std::shared_ptr<AutosaveFolder> m_keptFolder; ///< of this study; null: not kept yet
    std::function<QString()> m_layoutSource;
    std::shared_ptr<QLockFile> m_fileLock; ///< of the study's file
    StudyOnDisk m_onDisk;                  ///< that file as this window read or wrote it
    std::set<std::string> m_released;      ///< keys of results that a study on disk holds
    QTimer m_keepTimer;
};

/// All that a study keeps, by data set.
std::array<std::vector<AnyResult>, 2> finishedResults(const StudyState &state);

} // namespace headscope
