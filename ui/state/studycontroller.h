#pragma once

#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "ui/state/modelexports.h"
#include "ui/state/studycontext.h"
#include "ui/state/studyfiles.h"
#include "ui/state/worklist.h"
#include "ui/state/worktimes.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {

/// What a data slot holds: for an undo step.
struct SlotContent
{
    std::optional<DataSource> wanted;
    std::optional<DataCard> card;
    std::vector<AnyResult> finished{};
};

/// Fills a StudyState: opens model and data, and lets what is missing be computed: when both are there, the scores,
/// importance, confidence, roles and the ablation sweep start by themselves, in-domain first: score and sweep on a few
/// examples before all else, so that every cell has a value soon, and on the others last. When the mask changes, its
/// score is computed again, overtaking everything else. What is asked for is in works(), how long that takes in
/// times(), what is on the disk in files(). Lives on the GUI thread.
class StudyController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyController)
public:
    using Request = WorkRequest;
    using Way = WorkWay;

    explicit StudyController(StudyState &state, QObject *parent = nullptr);
    ~StudyController() override;

    JobQueue &queue() { return m_queue; }
    WorkList &works() { return m_works; }
    const WorkList &works() const { return m_works; }
    WorkTimes &times() { return m_times; }
    const WorkTimes &times() const { return m_times; }
    StudyFiles &files() { return m_files; }
    ModelExports &exports() { return m_exports; }

    const RunOptions &runOptions() const { return m_context.run; }
    /// Before a model is opened.
    void setRunOptions(const RunOptions &run) { m_context.run = run; }
    /// Without a work folder in them the one stays that was set.
    void setModelOptions(ModelOptions options)
    {
        if (options.workFolder.empty())
            options.workFolder = m_context.model.workFolder;
        m_context.model = std::move(options);
    }
    /// Whether what is done of a sweep is kept, so that it goes on after a stop or a kill.
    bool keepsSweeps() const { return m_context.keepsSweeps(); }
    /// Where it is kept on this machine; empty (as it is at first): nowhere.
    void setWorkFolder(const std::filesystem::path &folder) { m_context.model.workFolder = folder; }
    /// What takes longer than this says so before it begins, and what takes less time instead (WorkTimes::ways()). A
    /// sweep that nobody has asked for stops as soon as it is measured to need longer than this, once every head has a
    /// value; 60 at first.
    void setPatience(double seconds) { m_context.patience = seconds; }
    double patience() const { return m_context.patience; }
    /// Whether analyses start by themselves (on by default); --screenshot computes only what it shows.
    void setAutomatic(bool automatic) { m_context.automatic = automatic; }
    bool isAutomatic() const { return m_context.automatic; }

    /// Opens a model folder; data sets chosen before are read again with it.
    /// `host`: the machine that it is on (ModelOptions); empty: this one.
    void openModel(const QString &folder, const QString &host = {});
    /// Fills a slot. Without a model the choice is kept until there is one. Other data than before is one undo step.
    void setData(Domain domain, const DataSource &source);
    void clearData(Domain domain); ///< one undo step, that brings the results back as well
    /// Puts something else into a slot and gives what was there: for undo steps.
    SlotContent exchangeSlot(Domain domain, SlotContent content);
    /// Shows a study as it was read, without its model's weights and the texts of its data.
    void showStudy(const LoadedStudy &loaded);
    /// Before another model or study is shown.
    void leaveStudy();
    /// Results are also of files that their options name: those that have changed make them stale.
    void checkUsedFiles();

    /// See WorkList::start().
    void start(Domain domain, AnySpec spec) { m_works.start(domain, std::move(spec)); }
    /// A complete result that was computed elsewhere, as if it had been here. Precondition: it is of this model and
    /// these data.
    void addResult(Domain domain, const AnyResult &result);
    bool isComputing(const UnitKind &kind) const { return m_works.isComputing(kind); }
    /// Outputs are made with so many beams from now on (nothing: as the model's folder says). What was computed with
    /// others goes; it is kept, and there again at once where the old number is chosen.
    void setBeams(std::optional<int> beams);
    /// Into state.attention(), under the present mask: of a text or text pair, or of a sentence and what the decoder is
    /// to say to it, the reference or the model's own translation.
    void requestAttention(const DataRow &row, bool useReference = false);
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

Q_SIGNALS:
    /// Another model or study is shown next.
    void leaving();
    void modelOpened();

private:
    void onModelOpened(const std::shared_ptr<Session> &session);
    void showModel(const std::shared_ptr<Session> &session);
    void readModelAgain(const std::shared_ptr<Session> &session);
    SlotContent slotContent(Domain domain) const;
    void applyPendingData();
    void readData(Domain domain, bool mustBeTheSame);
    struct ReadData
    {
        DataCard card;
        std::shared_ptr<const DataRows> rows;
    };
    void onDataRead(Domain domain, const ReadData &data, bool mustBeTheSame);
    void startMissing(bool asked);
    void showModelAlone();
    void onMaskChanged();
    void onMetricChanged();
    void chooseMetric(const QString &metric);
    void evaluateMask();

    StudyState &m_state;
    JobQueue m_queue;
    bool m_reopening = false;              ///< model and data are those of results that are shown already
    std::shared_ptr<Session> m_otherModel; ///< what the folder holds now, where the study cannot be shown with it
    std::array<std::vector<AnyResult>, 2> m_again; ///< to be computed like these once the data are read
    bool m_measuresModel = false;                  ///< the measure was chosen because nothing but the model is open
    QTimer m_maskTimer;
    QElapsedTimer m_lastMask; ///< since the mask was changed last
    StudyContext m_context;
    WorkList m_works;
    WorkTimes m_times;
    StudyFiles m_files;
    ModelExports m_exports;
};

} // namespace headscope
