#pragma once

#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "core/session/studyrecord.h"

#include "ui/jobs/jobqueue.h"
#include "ui/state/autosavedstudies.h"
#include "ui/state/pace.h"
#include "ui/state/studystate.h"
#include "ui/state/work.h"

#include <QElapsedTimer>
#include <QTimer>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Starts the jobs that fill a StudyState: when a model and a data set are there, the scores, importance, confidence,
/// roles and the ablation sweep start by themselves, in-domain first: score and sweep on a few examples before all
/// else, so that every cell has a value soon, and on the others last. When the mask changes, its score is computed
/// again, overtaking everything else. Lives on the GUI thread.
class StudyController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyController)
public:
    explicit StudyController(StudyState &state, QObject *parent = nullptr);
    ~StudyController() override;

    JobQueue &queue() { return m_queue; }
    const RunOptions &runOptions() const { return m_run; }
    /// Before a model is opened.
    void setRunOptions(const RunOptions &run) { m_run = run; }
    /// Without a work folder in them the one stays that was set.
    void setModelOptions(ModelOptions options)
    {
        if (options.workFolder.empty())
            options.workFolder = m_modelOptions.workFolder;
        m_modelOptions = std::move(options);
    }
    /// Whether what is done of a sweep is kept, so that it goes on after a stop or a kill.
    bool keepsSweeps() const { return !m_modelOptions.workFolder.empty() || !m_modelOptions.host.empty(); }
    /// Where they are kept on this machine; empty (as it is at first): nowhere.
    void setWorkFolder(const std::filesystem::path &folder) { m_modelOptions.workFolder = folder; }
    /// What takes longer than this says so before it begins, and what takes less time instead (ways()). A sweep that
    /// nobody has asked for stops as soon as it is measured to need longer than this, once every head has
    /// a value; 60 at first.
    void setPatience(double seconds) { m_patience = seconds; }
    double patience() const { return m_patience; }
    /// Whether analyses start by themselves (on by default); --screenshot computes only what it shows.
    void setAutomatic(bool automatic) { m_automatic = automatic; }
    bool isAutomatic() const { return m_automatic; }

    /// Keeps what no study file of the user's holds in this folder from now on, every study by itself; empty: nowhere.
    void setKeptRoot(const QString &folder);
    const AutosavedStudies &keptStudies() const { return m_kept; }
    /// Something of the study is other than before, and is to be kept.
    void setModified();
    /// Asked for whenever a study is kept: how the window looks, for studyOpened().
    void setLayoutSource(std::function<QString()> source) { m_layoutSource = std::move(source); }

    /// Opens a model folder; data sets chosen before are read again with it.
    /// `host`: the machine that it is on (ModelOptions); empty: this one.
    void openModel(const QString &folder, const QString &host = {});
    /// Fills a slot. Without a model the choice is kept until there is one. Other data than before is one undo step.
    void setData(Domain domain, const DataSource &source);
    void clearData(Domain domain); ///< one undo step, that brings the results back as well

    /// Computes it and shows it, also while it is still running; a study keeps it when it is complete. Outputs are kept
    /// of scores. Nothing happens while the data are not read. Not for SpeedSpec.
    void start(Domain domain, AnySpec spec) { start(domain, std::move(spec), true); }
    /// A complete result that was computed elsewhere, as if it had been here. Precondition: it is of this model and
    /// these data.
    void addResult(Domain domain, const AnyResult &result);
    /// What went wrong with something of that name, until it is told again or dismissed; empty: nothing any more.
    void showJobError(const QString &name, const QString &text) { setJobError(name, text); }
    /// What went wrong with work whose results that page shows, or that no page shows; and with results of `also`.
    QString errorOn(const QString &page, const std::optional<UnitKind> &also = {}) const;
    /// How all results of a data set stand, and what is to become one: the only source of it.
    std::vector<Work> work(Domain domain) const;
    /// Of the results of a kind the one that a job is at work on, else the first; nothing: nobody has asked for one.
    std::optional<Work> workOn(Domain domain, const UnitKind &kind) const;
    /// Whether a job is at work on such a result, or waits to be.
    bool isComputing(const UnitKind &kind) const;
    /// Starts again what was stopped or failed, as it was asked for: sweeps from where they were. With `examples` it
    /// stops again at so many.
    void resume(const Work &work, std::int64_t examples = 0);
    /// Something that may be computed on a data set.
    struct Request
    {
        Domain domain;
        AnySpec spec;
    };
    /// Seconds that what is missing of all of them takes, by what has been measured of this model and these data.
    /// Nothing: something that scores masks has not been measured (measurePace()), or nothing has. Other analyses that
    /// have not been measured count nothing.
    std::optional<double> secondsOf(const std::vector<Request> &requests) const;
    /// Measures, on a few examples, what secondsOf() needs to know for these and nothing here has shown yet. Nobody
    /// sees the results.
    void measurePace(const std::vector<Request> &requests);
    /// Whether that is still to come.
    bool isMeasuringPace() const;
    /// Whether results that were asked for, by somebody or by themselves, are on their way.
    bool isComputingResults() const;
    /// Starts them, or goes on with them; with `examples` they stop at so many.
    void startAll(const std::vector<Request> &requests, std::int64_t examples = 0);
    /// What can be done about work that takes more than patience(), with the time that each way takes where that has
    /// been measured: all of it, fewer examples, importance alone, greedy outputs, values that are there. Empty where
    /// it does not take long.
    struct Way
    {
        QString text;
        std::function<void()> take;
    };
    std::vector<Way> ways(const std::vector<Request> &requests);
    std::vector<Way> ways(const Work &work);
    /// Greedy outputs, where the model has beams, or its own beams where outputs are greedy; then `start`, if there is
    /// such. `isLong`: whether that is of use.
    std::vector<Way> waysOfBeams(bool isLong, const std::function<void()> &start = {});
    /// The automatic analyses that are missing or not complete on the open data sets, and nobody is at work on.
    std::vector<Request> missing() const;
    /// Outputs are made with so many beams from now on (nothing: as the model's folder says). What was computed with
    /// others goes; it is kept, and there again at once where the old number is chosen.
    void setBeams(std::optional<int> beams);
    /// Removes what there is of something that was stopped or failed.
    void forget(const Work &work);
    /// Into state.attention(), under the present mask: of a text or text pair, or of a sentence and what the decoder is
    /// to say to it, the reference or the model's own translation.
    void requestAttention(const DataRow &row, bool useReference = false);
    /// Forgets the errors of failed jobs, which stay until they are dismissed or the job succeeds.
    void dismissErrors();
    /// Why nothing can be computed now, in a sentence that says what to do; empty where it can.
    QString whyNotReady() const;
    /// Whatever of the automatic analyses is missing or not complete on the open data sets, and the present mask's
    /// score, however long it takes.
    void startMissing() { startMissing(true); }
    /// Computes stale results again with their old options. If the study cannot be shown with the changed model, the
    /// model is opened instead of the study, and the results are computed for it.
    void recomputeStale();
    /// Why it cannot be, in a sentence; empty where it can.
    QString whyNotRecomputed() const;
    /// Removes what is stale: one undo step.
    void discardStale();
    /// Writes the model without the masked heads, as a job with the tag kExportTag.
    void exportPruned(ExportForm form, std::optional<Domain> compensation, const QString &folder);
    /// Writes the model with the projections that `spec` shares, the first of its widths, as a job with the tag
    /// kSharedExportTag; then sharedExported() is emitted.
    void exportShared(const CollaborateSpec &spec, const QString &folder);
    static constexpr char kSharedExportTag[] = "export-shared";
    /// Measures speed with and without the masked heads into state.speed(), as a job with the tag kSpeedTag.
    void startSpeed(Domain domain, SpeedSpec spec);
    static constexpr char kExportTag[] = "export-pruned";
    static constexpr char kSpeedTag[] = "speed";

    /// Writes the study; `layout` is kept for receivers of studyOpened(). Errors: ErrorPlace::Study; one is that
    /// another window has the file open, or has changed it.
    void saveStudy(const QString &file, const QString &layout);
    /// Packs the study as it is shown, saved or not (packStudy()); then studyPacked() is emitted. Errors:
    /// ErrorPlace::Study.
    void packStudy(const QString &file, bool withModel, const QString &layout);
    /// Unpacks such a file into a new folder and opens the study in it.
    void openPacked(const QString &file, const QString &folder);
    /// Shows the saved results at once, then reads model and data again so that more can be computed. One that another
    /// window has open is shown as an untitled copy, and a kept one under the name that it had.
    void openStudy(const QString &file) { openStudy(file, false); }
    /// Opens the study that comes with the program as an untitled copy, so that it is never written to.
    void openDemo(const QString &file) { openStudy(file, true); }
    /// Whether the demo is open and has not been saved under a name.
    bool isDemo() const { return m_demo; }
    /// Whether there is something that the study's file does not hold yet.
    bool isModified() const { return m_revision != m_savedRevision; }
    /// Whether there is something that neither the study's file nor the folder of kept studies holds yet.
    bool hasUnkept() const;
    /// Keeps what is not kept yet, then calls `next`: at once where nothing is to be done. Where it cannot be kept,
    /// keepFailed is emitted, and its receiver decides.
    void whenKept(const std::function<void()> &next);

Q_SIGNALS:
    /// Another model or study is shown next.
    void leaving();
    void modelOpened();
    void studyOpened(const QString &layout);
    /// The file of the study that was opened names this machine; nothing has been sent there. openModel() reaches it.
    void machineNamed(const QString &host, const QString &folder);
    void studySaved();
    void studyPacked(const QString &file);
    void modifiedChanged();
    /// work() says something else, or may do so; at most five times a second.
    void workChanged();
    /// The model is being written there without its masked heads.
    void exportStarted(const QString &folder, headscope::ExportForm form);
    /// The model with shared projections was written there.
    void sharedExported(const QString &folder);
    /// What is in the folder of setKeptRoot() that no window has open, newest first.
    void keptListed(const QList<headscope::AutosavedStudy> &studies);
    /// The study could not be kept: `next` goes on and loses it.
    void keepFailed(const QString &error, const std::function<void()> &next);

private:
    friend class DiscardCommand;
    friend class SlotCommand;
    struct SlotContent
    {
        std::optional<DataSource> wanted;
        std::optional<DataCard> card;
        std::vector<AnyResult> finished{};
    };

    void openStudy(const QString &file, bool demo);
    void onStudyRead(const QString &file, bool demo, const LoadedStudy &loaded);
    void openModelOfStudy();
    void onModelOpened(const std::shared_ptr<Session> &session);
    void showModel(const std::shared_ptr<Session> &session);
    void leaveStudy();
    std::shared_ptr<QLockFile> lockStudy(const QString &file, QString *owner) const;
    AutosavedStudy description() const;
    void keep(const std::function<void(const Result<Done> &)> &finished);
    void setAside();
    SlotContent exchangeSlot(Domain domain, SlotContent content);
    SlotContent slotContent(Domain domain) const;
    void readModelAgain(const std::shared_ptr<Session> &session);
    void checkUsedFiles();
    void cancelJobsOf(Domain domain);
    void start(Domain domain, AnySpec spec, bool urgent);
    void startFirst(const Request &request, std::int64_t examples);
    void startRest(const WorkKey &key, const QString &tag);
    void enqueue(const JobSpec &job, const WorkKey &key, const Request &request);
    void startMissing(bool asked);
    std::int64_t firstExamplesOf(const Request &request) const;
    std::int64_t unitsOf(const WorkKey &key) const;
    double shareOf(const WorkKey &key, std::int64_t examples) const;
    void stopAt(const WorkKey &key, std::int64_t examples);
    std::vector<Request> usual(Domain domain) const;
    std::vector<Request> usualOfModel() const;
    bool canStart(const Request &request) const;
    void showModelAlone();
    std::optional<double> secondsOf(const Request &request) const;
    std::optional<AnyResult> foundOf(const Request &request) const;
    Request judgedByItsData(Request request) const;
    /// A score keeps its outputs, which the window shows.
    static Request withOutputs(Request request);
    std::optional<Request> requestOf(const Work &work) const;
    std::vector<Request> withPresentOptions(std::vector<Request> requests) const;
    std::optional<JobInfo> activeJob(const WorkKey &key) const;
    std::optional<JobInfo> activeJob(const QString &tag) const;
    void learnPace(qint64 id);
    void forgetPace();
    void startPilot(Domain domain, const Workload &work);
    std::vector<Workload> workloadsOf(const Request &request) const;
    std::optional<JobInfo> newestJob(const QString &tag) const;
    double wordsOf(Domain domain) const;
    void keepWorkWithStudy();
    void lookForUnfinished(Domain domain);
    void release(const std::vector<std::string> &keys);
    void stopWhereEnough(const WorkKey &key, const AnyResult &partial);
    void startAgain(Domain domain, const AnyResult &like);
    std::array<std::vector<AnyResult>, 2> takeStale();
    void putBack(const std::array<std::vector<AnyResult>, 2> &results);
    void setSaved(quint64 revision);
    Study study(const QString &layout) const;
    std::array<std::vector<AnyResult>, 2> finishedResults() const;
    void showStudy(const LoadedStudy &loaded);
    void setJobError(const QString &tag, const QString &text);
    bool isMissing(Domain domain, const UnitKind &kind) const;
    void forgetAsked(Domain domain, const std::function<bool(const AnySpec &)> &isMeant);
    void tellWork();
    void releaseKept(const std::array<std::vector<AnyResult>, 2> &results);
    void applyPendingData();
    void readData(Domain domain, bool mustBeTheSame);
    struct ReadData
    {
        DataCard card;
        std::shared_ptr<const DataRows> rows;
    };
    void onDataRead(Domain domain, const ReadData &data, bool mustBeTheSame);
    void onMaskChanged();
    void onMetricChanged();
    void chooseMetric(const QString &metric);
    void evaluateMask();
    bool ready(Domain domain) const;
    bool hasReferences(Domain domain) const;
    using ShowResult = std::function<void(const AnyResult &)>;
    void startResult(const JobSpec &spec, JobQueue::Work<AnyResult> work, const ShowResult &show,
                     const ShowResult &finish, const std::function<void()> &stopped = {});

    StudyState &m_state;
    RunOptions m_run;
    ModelOptions m_modelOptions;
    std::map<QString, QString> m_jobErrors; ///< of the newest job of a tag
    std::map<WorkKey, Request> m_asked;     ///< what was started and is not complete yet
    double m_patience = 60;
    Pace m_pace;
    std::set<std::pair<MaskCost, bool>> m_pilots; ///< costs for which one was started
    std::set<WorkKey> m_unasked;                  ///< what started by itself
    std::set<WorkKey> m_putOff;                   ///< those of them that were stopped, since they take long
    std::map<WorkKey, std::int64_t> m_until;      ///< examples that are enough
    std::map<WorkKey, std::int64_t> m_first; ///< examples of jobs that end early, after which the rest is queued again
    std::set<std::string> m_released;        ///< keys of results that a study on disk holds
    QTimer m_workTimer;
    bool m_automatic = true;
    bool m_measuresModel = false;                      ///< the measure was chosen because nothing but the model is open
    std::array<std::optional<DataSource>, 2> m_wanted; ///< data sources of the slots, read or not yet
    bool m_reopening = false;                          ///< model and data are those of results that are shown already
    std::shared_ptr<Session> m_otherModel; ///< what the folder holds now, where the study cannot be shown with it
    std::array<std::vector<AnyResult>, 2> m_again; ///< to be computed like these once the data are read
    bool m_demo = false;
    int m_opening = 0;      ///< counts what was asked for: only the newest is shown
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
    QTimer m_maskTimer;
    QElapsedTimer m_lastMask; ///< since the mask was changed last
    QTimer m_keepTimer;
    JobQueue m_queue;
};

} // namespace headscope
