#pragma once

#include "core/base/headunit.h"
#include "core/results/anyresult.h"
#include "ui/state/resultkind.h"

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Measures that are kept of heads and of key groups (heads that share a key–value head), side by side.
struct UnitResults
{
    std::shared_ptr<const AblationResult> ablation;
    std::shared_ptr<const ImportanceResult> importance;
    std::shared_ptr<const ConfidenceResult> confidence;
    std::shared_ptr<const ShapleyResult> shapley;
};

/// What is shown of a data set: of the full model, but for the score under the present mask. Null: not computed.
/// Values are complete, immutable results, of which those still running are replaced by better ones.
struct DomainResults : UnitResults
{
    UnitResults groups; ///< of key groups
    UnitResults &of(HeadUnit unit) { return unit == HeadUnit::KeyGroup ? groups : *this; }
    const UnitResults &of(HeadUnit unit) const { return unit == HeadUnit::KeyGroup ? groups : *this; }

    std::shared_ptr<const AblationResult> windowed;  ///< heads, or key groups, that see a window only
    std::shared_ptr<const AblationResult> allButOne; ///< one head alone in a layer after the other
    std::shared_ptr<const RolesResult> roles;
    std::shared_ptr<const RelevanceResult> relevance;
    std::shared_ptr<const RelevanceResult> tokens; ///< of one example
    std::shared_ptr<const SearchResult> search;
    std::shared_ptr<const SimilarityResult> similarity;
    std::shared_ptr<const AttentionGradientsResult> gradients;
    std::shared_ptr<const DynamicsResult> dynamics;
    std::shared_ptr<const EnergyResult> energy;
    std::shared_ptr<const PatchResult> patching;
    std::shared_ptr<const PathsResult> paths;
    std::shared_ptr<const GatingResult> gating;
    std::shared_ptr<const DetectResult> detected; ///< of the model alone, as the next ones
    std::shared_ptr<const WeightsResult> weights;
    std::shared_ptr<const FunctionsResult> functions;
    std::shared_ptr<const RetrievalResult> retrieval;
    std::vector<std::shared_ptr<const HeadTokensResult>> headTokens; ///< one per head and token, of the model alone
    std::vector<std::shared_ptr<const CollaborateResult>> sharing;   ///< one per settings, in the order of first start
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
    /// The metrics that there are results by, in the order of first start.
    std::vector<std::string> metrics(ResultKinds kinds = kAllResultKinds) const;

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
    /// All that is of the data.
    ResultKinds clearData();
    /// What is not complete, of those that `isMeant`.
    ResultKinds removePartials(const std::function<bool(const AnyResult &)> &isMeant);
    /// Scores of masks other than the present one.
    void forgetOtherMasks();
    /// Removes what is stale; what was complete goes to `taken`.
    ResultKinds takeStale(const IsStale &isStale, std::vector<AnyResult> *taken);

private:
    struct Place
    {
        UnitKind kind;
        std::string metric; ///< metricOf()
        std::string detail; ///< detailOf(): a score's mask, or a curve
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
