#pragma once

#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/compareresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/detectresult.h"
#include "core/results/functionsresult.h"
#include "core/results/gatingresult.h"
#include "core/results/importanceresult.h"
#include "core/results/patchresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/retrievalresult.h"
#include "core/results/roles.h"
#include "core/results/shapleyresult.h"
#include "core/results/similarityresult.h"
#include "core/results/takeoverresult.h"
#include "core/results/weightsresult.h"
#include "ui/models/numbertext.h"
#include "ui/models/significance.h"

#include <QString>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace headscope {

/// The value of one measure for one head.
struct HeadCell
{
    HeadRef head;
    std::optional<double> value;      ///< unset: not computed yet
    std::optional<Interval> interval; ///< 95 %
    std::optional<double> p;
    std::optional<double> pAdjusted;  ///< Holm
    std::optional<double> discoveryP; ///< Benjamini–Hochberg
    std::optional<double> mcnemar;    ///< p of McNemar's exact test, where outputs are right or wrong
    std::optional<bool> significant;  ///< by the content's convention; unset: nothing was tested
    int rank = 0;                     ///< 1 = the most important head; 0 = no value, or heads cannot be compared yet
    std::int64_t examples = 0;        ///< that the value rests on
    std::vector<RoleLabel> roles;     ///< supported ones, the one shown first; empty: none, or not computed
    std::vector<HeadRef> others{};    ///< that the cell is of as well: the rest of its key group, ascending
};

/// Two heads that have something to do with each other: a line over the grid.
struct HeadLink
{
    HeadRef head, other;
    bool apart = false;   ///< dashed: they need each other, or what GridContent::apartText says
    double strength = 1;  ///< 0 … 1: how thick it is
    bool isArrow = false; ///< from head to other
    QChar letter{};       ///< on the line, and its colour: Q, K or V; null: none
};

/// One measure of every head: what a grid, its table and its legend show.
struct GridContent
{
    HeadLayout layout;
    QString measure;                  ///< "Ablation Δ BLEU"
    QString symbol;                   ///< before the number: "Δ BLEU"
    QString dataName;                 ///< "test_2016_flickr (in-domain)"
    bool diverging = false;           ///< signed, zero means "no effect"
    Better better = Better::Higher;   ///< diverging: which changes are for the better
    ValueFormat format;               ///< of the values
    std::int64_t examples = 0;        ///< that all values rest on, or that those with the fewest do
    std::int64_t totalExamples = 0;   ///< examples that will be behind them
    bool partial = false;             ///< not all of it is computed
    bool comparable = true;           ///< heads have values of the same examples: else nothing is ranked or tested
    Significance significance{};      ///< by which heads are told apart
    QString sum{};                    ///< what the values add up to; empty: they add up to nothing
    QString basis{};                  ///< "56 of 300 against 8 of 300 examples": of differences; else empty
    std::vector<Manifest> manifests;  ///< of the results behind the values
    std::vector<AnyResult> results{}; ///< these results themselves, of a difference the first one's before; empty: none
    QString stale; ///< that the values, or some of them, are of files which have changed since; empty: they hold
    std::vector<HeadCell> cells; ///< in the order of layout.heads(), one each
    std::vector<HeadLink> links{};
    QString linkText{};           ///< what a line says; empty: that its heads stand in for each other
    QString apartText{};          ///< what a dashed line says; empty: that its heads need each other
    QString rolesFrom;            ///< "in-domain" where roles are those of another data set than the values
    bool showsRoles = true;       ///< cells say their roles
    std::optional<Role> onlyRole; ///< all other heads are dimmed

    bool byKeyGroup = false; ///< a cell for every group that shares a key–value head, in place of its first head

    /// Of the head or its group; nullptr: no such head.
    const HeadCell *cell(const HeadRef &head) const;
    /// All heads that a cell is of, or those that are in the same cell with one of `heads`.
    static std::vector<HeadRef> headsOf(const HeadCell &cell);
    std::set<HeadRef> whole(const std::vector<HeadRef> &heads) const;
    std::set<HeadRef> whole(const HeadRef &head) const { return whole(std::vector{head}); }
    /// "decoder.0.3", "decoder.0.0–2"
    static QString nameOf(const HeadCell &cell);
    /// "heads 0–2 share key group 0"; empty where cells are heads.
    QString groupText(const HeadCell &cell) const;
    std::int64_t significantCount() const;
    std::int64_t valueCount() const;
    std::vector<double> values() const; ///< of the heads that have one
    /// As the measure is shown: with a sign where there are two directions.
    QString valueText(double value) const { return diverging ? format.difference(value) : format.number(value); }
    QString intervalText(const Interval &interval) const { return format.interval(interval, diverging); }
    /// "300 examples", "56 of 300 examples": what all values rest on.
    QString examplesText() const;
    /// What a head's value rests on.
    std::int64_t examplesOf(const HeadCell &cell) const { return cell.examples > 0 ? cell.examples : examples; }
    QString examplesText(const HeadCell &cell) const;
    /// Whether the value rests on fewer examples than it will.
    bool isPartial(const HeadCell &cell) const { return partial && examplesOf(cell) < totalExamples; }
    /// "8 examples alike: up to 38 % of others may differ": of an interval without width, which says nothing of others
    /// (rule of three); else empty.
    QString alikeText(const HeadCell &cell) const;
    bool hasMcnemar() const;
    bool hasRoles() const;
    /// Whether a filter by role leaves the head out.
    bool isDimmed(const HeadCell &cell) const;
    /// Whether the results behind the values are partial ones.
    bool isUnfinished() const { return std::ranges::any_of(manifests, &Manifest::partial); }
    /// Whether the value may be chance: it is not significant, or not tested yet.
    bool isUncertain(const HeadCell &cell) const
    {
        return cell.significant ? !*cell.significant : diverging && isUnfinished() && cell.value.has_value();
    }
    /// "rare word (61 %)", with the data set where it is another one's; empty: no role.
    QString rolesText(const HeadCell &cell) const;
};

/// A grid without values.
GridContent emptyContent(const HeadLayout &layout);
GridContent ablationContent(const HeadLayout &layout, const AblationResult &result, const Significance &by = {});
GridContent importanceContent(const HeadLayout &layout, const ImportanceResult &result);
GridContent confidenceContent(const HeadLayout &layout, const ConfidenceResult &result);
/// Shares of a layer, with 95 % intervals by Student's t over examples.
GridContent relevanceContent(const HeadLayout &layout, const RelevanceResult &result);
/// What each head adds to the score.
GridContent shapleyContent(const HeadLayout &layout, const ShapleyResult &result, const Significance &by = {});
/// Facilitates − interferes, from −1 to 1, with 95 % intervals by Student's t over seeds.
GridContent gatingContent(const HeadLayout &layout, const GatingResult &result);
/// What of the answer patching the head everywhere brings over.
GridContent patchingContent(const HeadLayout &layout, const PatchResult &result);
/// By how much each head's own contribution to the answer changes without the one that was removed.
GridContent takeoverContent(const HeadLayout &layout, const TakeoverResult &result, const Significance &by = {});
/// `value`: of a head, in the result's own unit; heads without one stay empty. `name`: the measure's. Shares are shown
/// as per cent, entropies in nats.
GridContent surfaceContent(const HeadLayout &layout, const SimilarityResult &result, const QString &name, bool isShare,
                           const std::function<std::optional<double>(const HeadSurface &)> &value);
/// What one detector says of each head, as per cent; heads with its label are significant.
GridContent detectorContent(const HeadLayout &layout, const DetectResult &result, const QString &name,
                            HeadDetector detector);
/// How far each head carries the tasks of prompts: change of the right answer's probability.
GridContent functionsContent(const HeadLayout &layout, const FunctionsResult &result, const Significance &by = {});
/// How much of an answer each head copies from a long text, as per cent; empty where no answer was right.
GridContent retrievalContent(const HeadLayout &layout, const RetrievalResult &result);
/// How much more a question looks at its answer in a long text than a null question does.
GridContent questionContent(const HeadLayout &layout, const RetrievalResult &result);
/// A number of each head's weights; heads without one stay empty. `diverging`: from −1 to 1.
GridContent weightsContent(const HeadLayout &layout, const WeightsResult &result, const QString &name, bool diverging,
                           const std::function<std::optional<double>(const HeadWeightNumbers &)> &value);
/// A head's place among `firsts`, the first heads of key groups: that of its group; else its own.
HeadRef firstOfGroup(const HeadLayout &firsts, HeadRef head);
/// The groups of `content`, whose layout has their first heads, take the other heads of `heads`, the model's.
void addGroups(GridContent &content, const HeadLayout &heads);
/// Labels the cells.
void addRoles(GridContent &content, const std::vector<HeadRoles> &roles);
/// b − a, head by head, with the interval that follows from those of a and b. Deltas are judged by `tested`
/// (testedDifferences()) alone, as the command compare judges them.
GridContent differenceContent(const GridContent &a, const GridContent &b,
                              const std::vector<HeadDifference> &tested = {});

} // namespace headscope
