#pragma once

#include "core/base/headunit.h"
#include "core/results/anyresult.h"
#include "core/results/attentionresult.h"
#include "core/results/roles.h"
#include "core/results/speedresult.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"
#include "ui/models/significance.h"
#include "ui/state/measures.h"
#include "ui/state/slotresults.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope {

/// Which data the grid shows it on; Difference = out-of-domain minus in-domain.
enum class DomainView { In, Out, Difference };
/// The panel an error belongs to.
enum class ErrorPlace { Model, InData, OutData, Study, Analysis, Attention };
inline constexpr std::array kErrorPlaces = {ErrorPlace::Model, ErrorPlace::InData,   ErrorPlace::OutData,
                                            ErrorPlace::Study, ErrorPlace::Analysis, ErrorPlace::Attention};

inline constexpr std::array kBothDomains = {Domain::In, Domain::Out};
QString headsText(std::int64_t count);   ///< "1 head", "3 heads"
QString domainName(Domain domain);       ///< "in-domain"
QString domainViewName(DomainView view); ///< "in-domain", "out-of-domain", "difference"

/// A result that was computed from files that are no longer the same.
struct StaleResult
{
    Domain domain = Domain::In;
    QString name;        ///< "ablation"
    QStringList changed; ///< "weights", names of files

    bool operator==(const StaleResult &) const = default;
};

/// The labels of every head, in the order of the result's heads.
using AssignedRoles = std::vector<HeadRoles>;

/// What all pages show and change: one model, two data sets, their results, the selection, the masks.
/// Lives on the GUI thread. Knows nothing of jobs: StudyController fills it.
class StudyState final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyState)
public:
    explicit StudyState(QObject *parent = nullptr);
    ~StudyState() override;

    // The model and the data
    const std::shared_ptr<Session> &session() const { return m_session; }
    /// Null when no model is open. A reopened study has a card before its weights are read.
    const ModelCard *model() const { return m_model ? &*m_model : nullptr; }
    const HeadLayout &layout() const; ///< empty when no model is open
    /// "BLEU": the one by which heads are judged on a data set; of the shown one where none is named. The one that was
    /// chosen last where there is such, else the first of metricNames().
    QString metricName(Domain domain) const;
    QString metricName() const { return metricName(shownDomain()); }
    /// Metrics that heads can be judged by, the primary one first, and others that there are results by.
    QStringList metricNames(Domain domain) const;
    QStringList metricNames() const { return metricNames(shownDomain()); }
    /// A metric that there are results of these kinds by, where there are none by metricName(); else empty.
    QString otherMetric(Domain domain, ResultKinds kinds) const;
    /// Those of them that the data, or else the model, have.
    QStringList judgingMetrics(Domain domain) const;
    const std::optional<DataCard> &data(Domain domain) const { return m_data[slot(domain)]; }
    /// Null: not read, as those of a study that has just been reopened.
    const std::shared_ptr<const DataRows> &rows(Domain domain) const { return m_rows[slot(domain)]; }
    /// A new model: forgets results, masks, selection and undo steps. `session` may follow later.
    void setModel(std::optional<ModelCard> card, std::shared_ptr<Session> session);
    /// Replaces the model by a newly read copy. Results stay, and become stale if files (by name) have `changed`.
    void setSession(std::shared_ptr<Session> session, const std::vector<std::string> &changed = {});
    /// The model's folder holds a model now that these results cannot be shown with: all of them are stale.
    void setModelOnDisk(const ModelCard &card, const std::vector<std::string> &changed);
    /// Forgets the results of that slot unless it is the same data read again (equal hash and rows).
    void setData(Domain domain, std::optional<DataCard> card, std::shared_ptr<const DataRows> rows = nullptr);
    /// Replaces the data by a newly read copy: results stay, and are stale because files `changed`.
    void setChangedData(Domain domain, const DataCard &card, std::shared_ptr<const DataRows> rows,
                        const std::vector<std::string> &changed);

    // Results of files that are no longer the same
    /// What has changed since a result of this slot was computed, by name; empty: it holds.
    QStringList changedSince(Domain domain, const Manifest &result) const;
    bool isStale(Domain domain, const Manifest &result) const { return !changedSince(domain, result).isEmpty(); }
    /// All that is shown and stale, in-domain first.
    const std::vector<StaleResult> &staleResults() const { return m_stale; }
    /// Removes them, and gives those that were complete.
    std::vector<AnyResult> takeStaleResults(Domain domain);
    /// What files besides model and data hold now (see usedFiles()).
    void addFileHashes(const FileHashes &hashes);

    // Results
    const DomainResults &results(Domain domain) const { return m_results[slot(domain)].shown(); }
    /// All of them, of other kinds too, in the order of first start.
    const std::vector<AnyResult> &shownResults(Domain domain) const { return m_results[slot(domain)].all(); }
    /// A complete result, which a study keeps: shown where it is of the present metric and mask.
    void addResult(Domain domain, AnyResult result);
    /// One that is still running, shown until a better one comes.
    void addPartialResult(Domain domain, AnyResult result);
    /// One that was begun before and not finished: shown where there is no other.
    void addLeftResult(Domain domain, AnyResult result);
    /// Complete ones that were here before: shown where nothing newer has taken their places.
    void putBack(Domain domain, const std::vector<AnyResult> &results);
    void removeResults(Domain domain, ResultKinds kinds);
    /// Those that are not complete and are meant.
    void removePartialResults(Domain domain, const std::function<bool(const AnyResult &)> &isMeant);
    /// Scores of other masks than the present one, which would be shown again with their masks.
    void forgetOtherMasks(Domain domain) { m_results[slot(domain)].forgetOtherMasks(); }
    /// What a study saves. What is of the model alone is among those of the first slot.
    std::vector<AnyResult> finishedResults(Domain domain) const;
    bool hasFinishedResults(Domain domain) const { return m_results[slot(domain)].hasFinished(); }
    /// Attention of every head on the selected sentence; null while none was asked for.
    const std::shared_ptr<const AttentionResult> &attention() const { return m_attention; }
    void setAttention(std::shared_ptr<const AttentionResult> result);
    /// With and without the heads of result->mask; null before the measurement. Not part of a study.
    const std::shared_ptr<const SpeedResult> &speed() const { return m_speed; }
    void setSpeed(std::shared_ptr<const SpeedResult> result);

    // Selection
    const std::optional<HeadRef> &currentHead() const { return m_current; }
    const std::set<HeadRef> &selection() const { return m_selection; }
    const std::optional<HeadRef> &hoveredHead() const { return m_hovered; }
    /// Makes `head` current and the only selected one.
    void selectHead(const HeadRef &head) { setSelection({head}, head); }
    void setSelection(std::set<HeadRef> heads, std::optional<HeadRef> current);
    void setHoveredHead(std::optional<HeadRef> head);

    // Masks: every change is one undo step
    const HeadMask &mask() const { return m_mask; }
    QUndoStack &undoStack() { return m_undo; }
    void toggleMask(const HeadRef &head);
    /// All of `heads` masked, or all unmasked when every one of them already was.
    void toggleMasks(const std::set<HeadRef> &heads);
    void clearMask();
    void setMask(const HeadMask &mask, const QString &stepName);
    /// As setMask; consecutive calls merge into one step until endMaskDrag().
    void dragMask(const HeadMask &mask);
    void endMaskDrag();
    void showMask(const HeadMask &mask); ///< without an undo step

    // Pins: heads that the user has marked. Every change is one undo step
    const std::set<HeadRef> &pins() const { return m_pins; }
    /// All of `heads` pinned, or all unpinned when every one of them already was.
    void togglePins(const std::set<HeadRef> &heads);
    void showPins(std::set<HeadRef> pins); ///< without an undo step

    // The metric by which heads are judged: a change forgets the scores by the old one
    void setMetric(const QString &metric);  ///< one undo step
    void showMetric(const QString &metric); ///< setMetric() without an undo step

    // Roles: labels follow from the counts of results(domain).roles by thresholds
    const RoleThresholds &roleThresholds() const { return m_roleThresholds; }
    void setRoleThresholds(const RoleThresholds &thresholds); ///< one undo step
    /// As setRoleThresholds; consecutive calls merge into one step until endRoleDrag().
    void dragRoleThresholds(const RoleThresholds &thresholds);
    void endRoleDrag() { ++m_drag; }
    void showRoleThresholds(const RoleThresholds &thresholds); ///< without an undo step
    /// Labelled once for a result and thresholds; null: not computed on that data set.
    std::shared_ptr<const AssignedRoles> assignedRoles(Domain domain) const;
    /// What says which heads need distant keys, by the present significance.
    WindowedSweep windowedSweep(Domain domain) const;
    /// Whose roles are shown: the data set of the domain view, or the other one where only that has roles.
    Domain roleDomain() const;
    /// Whether the grids show roles, and whether they dim all heads but those of one role.
    bool showsRoles() const { return m_showsRoles; }
    void setShowsRoles(bool shows);
    const std::optional<Role> &roleFilter() const { return m_roleFilter; }
    void setRoleFilter(std::optional<Role> role);

    // What is looked at
    Measure measure() const { return m_measure; }
    void setMeasure(Measure measure);
    /// What the cells of grids are where heads share key–value heads: heads, or their groups, as far as values are of
    /// groups (ablation). Of models whose heads share none: heads.
    HeadUnit gridUnit() const { return m_byKeyGroup && hasKeyGroups() ? HeadUnit::KeyGroup : HeadUnit::Head; }
    void setGridUnit(HeadUnit unit);
    /// The first heads of the groups that share a key–value head; empty where no heads do.
    HeadLayout keyGroups() const;
    bool hasKeyGroups() const { return m_model && !m_model->keyGroups.empty(); }
    /// When heads count as significant: on all pages.
    const Significance &significance() const { return m_significance; }
    void setSignificance(const Significance &significance);
    DomainView domainView() const { return m_domainView; }
    void setDomainView(DomainView view);
    /// Of pages that show one data set: the only one there is, or that of the domain view; the difference leaves it as
    /// it was.
    Domain shownDomain() const;
    Domain sentenceDomain() const { return m_sentenceDomain; }
    std::int64_t sentenceIndex() const { return m_sentenceIndex; } ///< row of the slot, −1 = none
    /// Shows its data set, too. Another data set than before has its own sentence again.
    void setSentence(Domain domain, std::int64_t index);

    // Errors, where they belong; an empty text clears
    QString error(ErrorPlace place) const;
    void setError(ErrorPlace place, const QString &text);

    // The file
    const QString &studyFile() const { return m_studyFile; } ///< empty: never saved
    void setStudyFile(const QString &file);

Q_SIGNALS:
    void modelChanged();
    void dataChanged(headscope::Domain domain);
    void resultsChanged(headscope::Domain domain,
                        headscope::ResultKinds kinds); ///< other results of these kinds are shown
    void staleChanged();                               ///< other results are stale, or other files have changed
    void attentionChanged();
    void speedChanged();
    void selectionChanged();
    void hoverChanged();
    void maskChanged();
    void pinsChanged();
    /// Scores by the old metric are gone; results that do not depend on it have stayed.
    void metricChanged();
    void rolesChanged();    ///< other counts or thresholds: labels are to be asked for again
    void roleViewChanged(); ///< shown or not, or another filter
    void measureChanged();
    void gridUnitChanged();
    void domainViewChanged(); ///< or shownDomain()
    void significanceChanged();
    void sentenceChanged();
    void errorChanged(headscope::ErrorPlace place);
    void studyFileChanged();

private:
    static std::size_t slot(Domain domain) { return domain == Domain::In ? 0 : 1; }
    static std::vector<Domain> slotsOf(Domain domain, const AnyResult &result);
    void announce(Domain domain, ResultKinds changed);
    SlotResults::IsStale staleIn(Domain domain) const;
    void refreshStale();
    void refreshMetric(Domain domain);
    void showSentenceOfDomain();

    std::shared_ptr<Session> m_session;
    std::optional<ModelCard> m_model;
    std::optional<ModelCard> m_modelOnDisk; ///< another one than is shown
    std::vector<StaleResult> m_stale;
    FileHashes m_fileHashes;
    QStringList m_changedModel; ///< names of its files that changed while results of them were shown
    std::array<QStringList, 2> m_changedData;
    std::array<std::optional<DataCard>, 2> m_data;
    std::array<std::shared_ptr<const DataRows>, 2> m_rows;
    std::array<SlotResults, 2> m_results;
    std::shared_ptr<const AttentionResult> m_attention;
    std::shared_ptr<const SpeedResult> m_speed;
    std::optional<HeadRef> m_current;
    std::optional<HeadRef> m_hovered;
    std::set<HeadRef> m_selection;
    HeadMask m_mask;
    std::set<HeadRef> m_pins;
    QString m_metric; ///< empty: the model's first
    RoleThresholds m_roleThresholds;
    mutable std::array<std::shared_ptr<const AssignedRoles>, 2> m_assigned; ///< null: to be made when asked for
    bool m_showsRoles = true;
    std::optional<Role> m_roleFilter;
    Measure m_measure = Measure::AblationDelta;
    bool m_byKeyGroup = false;
    Significance m_significance;
    DomainView m_domainView = DomainView::In;
    Domain m_single = Domain::In;                    ///< of two data sets the one that is shown by itself
    std::array<std::int64_t, 2> m_sentences{-1, -1}; ///< the last of each
    Domain m_sentenceDomain = Domain::In;
    std::int64_t m_sentenceIndex = -1;
    int m_drag = 1;
    std::array<QString, kErrorPlaces.size()> m_errors;
    QString m_studyFile;
    QUndoStack m_undo; // last: its commands name this object
};

/// "Outdated. Changed since it was computed: weights."; empty where the result holds.
QString staleText(const StudyState &state, Domain domain, const Manifest &result);
/// Of results of both slots that are shown side by side or subtracted: which of them are outdated, and that they are of
/// different models or data where only one is. Empty where both hold.
QString staleText(const StudyState &state, const Manifest &in, const Manifest &out);

} // namespace headscope
