#pragma once

#include "core/results/anyresult.h"

#include <QFlags>
#include <QString>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headscope {

/// The kinds of results of a data set, by which views and changes refer to them.
enum class ResultKind : unsigned {
    Baseline = 1 << 0, ///< the score of the full model
    Masked = 1 << 1,   ///< the score under a mask
    Ablation = 1 << 2,
    AllButOne = 1 << 3,
    Importance = 1 << 4,
    Confidence = 1 << 5,
    Roles = 1 << 6,
    Relevance = 1 << 7,
    Search = 1 << 8,
    Pruning = 1 << 9,
    Attention = 1 << 10, ///< of one sentence, shown by StudyState::attention(); kept here for the study's file
    Dynamics = 1 << 11,  ///< heads over training
    Similarity = 1 << 12,
    Gradients = 1 << 13, ///< of the loss, by attention
    Energy = 1 << 14,    ///< of query and key projections
    Sharing = 1 << 15,   ///< projections that heads share
    Other = 1 << 16,     ///< without a page of its own
    Patching = 1 << 17,
    TokenRelevance = 1 << 18, ///< relevance of one example, with its tokens
    Shapley = 1 << 19,
    GroupAblation = 1 << 20, ///< this and GroupImportance and so on: of heads that share a key–value head, all as one
    Needed = 1 << 21,        ///< heads that the output of one example needs
    Takeover = 1 << 22,      ///< what takes over when a head is removed
    Gating = 1 << 23,        ///< gates that are pulled both ways
    GroupImportance = 1 << 24,
    GroupConfidence = 1 << 25,
    GroupShapley = 1 << 26,
    Windowed = 1 << 27,     ///< of heads, or of such groups, that see the first keys and those near the query only
    Interactions = 1 << 28, ///< of pairs of heads
};
Q_DECLARE_FLAGS(ResultKinds, ResultKind)
Q_DECLARE_OPERATORS_FOR_FLAGS(ResultKinds)
inline constexpr ResultKinds kAllResultKinds = ResultKinds::fromInt((1U << 29) - 1);

/// Whether heads that share a key–value head were measured as one.
bool isByKeyGroup(const Manifest &manifest);
/// The kind of the same measure of key groups; the kind itself where there is none.
ResultKind ofGroups(ResultKind kind);
ResultKind resultKind(const AnyResult &result);
QString resultKindName(ResultKind kind);      ///< "ablation", "one head a layer"
QString resultName(const AnyResult &result);  ///< of its kind; "mcnemar" where no page has a place for it
QString resultTitle(const AnyResult &result); ///< "Ablation"
/// The heads that were masked all the while, as text; empty: none. Not of scores, which are of a mask by their kind.
std::string maskedThroughout(const AnyResult &result);

/// What is shown of a data set: of the full model, but for the score under the present mask. Null: not computed.
/// Values are complete, immutable results, of which those still running are replaced by better ones.
struct DomainResults
{
    std::shared_ptr<const AblationResult> ablation;
    std::shared_ptr<const AblationResult> groupAblation; ///< by groups that share a key–value head
    std::shared_ptr<const AblationResult> windowed;      ///< heads, or such groups, that see a window only
    std::shared_ptr<const AblationResult> allButOne;     ///< one head alone in a layer after the other
    std::shared_ptr<const ImportanceResult> importance;
    std::shared_ptr<const ImportanceResult> groupImportance; ///< this and the two below: as groupAblation
    std::shared_ptr<const ConfidenceResult> groupConfidence;
    std::shared_ptr<const ShapleyResult> groupShapley;
    std::shared_ptr<const ConfidenceResult> confidence;
    std::shared_ptr<const RolesResult> roles;
    std::shared_ptr<const RelevanceResult> relevance;
    std::shared_ptr<const RelevanceResult> tokens; ///< of one example
    std::shared_ptr<const SearchResult> search;
    std::shared_ptr<const SimilarityResult> similarity;
    std::shared_ptr<const AttentionGradientsResult> gradients;
    std::shared_ptr<const DynamicsResult> dynamics;
    std::shared_ptr<const EnergyResult> energy;
    std::shared_ptr<const PatchResult> patching;
    std::shared_ptr<const ShapleyResult> shapley;
    std::shared_ptr<const GatingResult> gating;
    std::vector<std::shared_ptr<const CollaborateResult>> sharing; ///< one per settings, in the order of first start
    std::vector<std::shared_ptr<const PruningResult>>
        pruning; ///< one per order and settings, in the order of first start
    std::vector<std::shared_ptr<const NeededResult>> needed;      ///< one per example and settings, in that order
    std::vector<std::shared_ptr<const TakeoverResult>> takeovers; ///< one per head and settings, in that order
    std::vector<std::shared_ptr<const InteractionsResult>> interactions; ///< one per settings, in that order
    std::shared_ptr<const EvaluationResult> baseline;                    ///< the full model, with outputs
    std::shared_ptr<const EvaluationResult> masked; ///< under the present mask, with outputs; null: mask empty
};

/// All results of one data set: each in the place that its kind, the metric that it judges by, and its mask or curve
/// give it. What is shown of them follows from the present metric and mask, so that going back to an earlier one shows
/// its results at once. What changes it says what changed of shown().
class SlotResults
{
public:
    /// Whether the result with this manifest is of files that are no longer the same.
    using IsStale = std::function<bool(const Manifest &)>;

    const DomainResults &shown() const { return m_shown; }
    /// All that is shown, of other kinds too, in the order of first start.
    const std::vector<AnyResult> &all() const { return m_all; }
    /// What a study saves: all that is complete, by any metric; of scores under masks that of the present one.
    std::vector<AnyResult> finished() const;
    bool hasFinished() const;

    /// A complete result: takes its place. A curve also takes that of a stale one that was asked for in the same way.
    ResultKinds add(AnyResult result, const IsStale &isStale);
    /// One that is still running: shown instead of the complete one in its place, which stays for the study.
    ResultKinds addPartial(AnyResult result, const IsStale &isStale);
    /// One that is not complete and that nobody is at work on: shown where nothing else has its place.
    ResultKinds addLeft(AnyResult result);
    /// Complete results that were taken out, where nothing newer has their places.
    ResultKinds putBack(const std::vector<AnyResult> &results);

    ResultKinds setMetric(const std::string &metric);
    ResultKinds setMask(const HeadMask &mask);

    ResultKinds remove(ResultKinds kinds);
    /// What is not complete, of those that `isMeant`.
    ResultKinds removePartials(const std::function<bool(const AnyResult &)> &isMeant);
    ResultKinds clear() { return remove(kAllResultKinds); }
    /// Scores of masks other than the present one.
    void forgetOtherMasks();
    /// Removes what is stale; what was complete goes to `taken`.
    ResultKinds takeStale(const IsStale &isStale, std::vector<AnyResult> *taken);

private:
    struct Place
    {
        ResultKind kind;
        std::string metric; ///< empty: judges nothing
        std::string detail; ///< a score's mask, or a curve
        std::string mask;   ///< maskedThroughout()

        auto operator<=>(const Place &) const = default;
    };
    struct Entry
    {
        std::optional<AnyResult> partial;
        std::optional<AnyResult> finished;
        int number = 0; ///< of its first start

        const AnyResult &newest() const { return partial ? *partial : *finished; }
    };

    static Place placeOf(const AnyResult &result);
    Entry &entryFor(const AnyResult &result, const IsStale &isStale);
    bool isShown(const Place &place) const;
    std::vector<const Entry *> inOrder(const std::function<bool(const Place &, const Entry &)> &wanted) const;
    void dropPartialsNotShown();
    void forgetOldMasks();
    ResultKinds refresh();

    std::map<Place, Entry> m_entries;
    std::string m_metric;
    std::string m_mask; ///< as text; empty: none
    int m_added = 0;
    DomainResults m_shown;
    std::vector<AnyResult> m_all;
};

} // namespace headscope
