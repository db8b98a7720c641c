#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "core/task/runoptions.h"
#include "ui/state/slotresults.h"

#include <span>
#include <string>

namespace headscope {

/// What tells results of one kind apart that have the same metric, and the same heads masked throughout.
enum class Apart {
    Nothing, ///< a new result takes the place of the old one
    Mask,    ///< the mask that is scored
    Options,
    Order, ///< of a curve, and all options
};

/// What is to be known of an analysis before it runs.
struct AnalysisTraits
{
    const AnalysisInfo *info = nullptr; ///< the core's entry; null: results of several analyses, or of none

    bool goesByMetric() const { return info && info->goesByMetric; }
    bool runsManyMasks() const { return info && info->runsManyMasks; }
    bool needsReferences() const { return info && info->needsReferences; }
    bool needsData() const { return !info || info->needsData; }
};

/// A row of the table of the kinds of results: all that the window knows of a kind without looking at a result.
struct ResultKindInfo
{
    ResultKind kind = ResultKind::Other;
    const char *id = "";   ///< in the tags of jobs: never translated
    const char *name = ""; ///< "ablation": to be translated, see resultKindName()
    /// Its name of groups of heads that share a key–value head; null: results of groups are not kept beside those of
    /// heads.
    const char *groupName = nullptr;
    const char *page = ""; ///< the id of the page that shows it
    AnalysisTraits analysis{};
    bool (*isOf)(const AnyResult &result)
        = nullptr; ///< whether a result is of this kind; the first row that says so has it
    /// Puts a result of this kind into its member of `shown`. Null: the kind has none.
    void (*put)(DomainResults &shown, HeadUnit unit, const AnyResult &result) = nullptr;
    bool (*isSame)(const DomainResults &a, const DomainResults &b) = nullptr; ///< of these members
    /// What is asked for where nobody has chosen options. Null: its page knows.
    AnySpec (*request)(const RunOptions &run, HeadUnit unit) = nullptr;
    Apart apart = Apart::Nothing;
    bool isOfMask = false;    ///< a mask is what it is about, not something that was masked besides
    bool isListed = false;    ///< the study panel offers to compute it, in the order of the table
    bool labelsRoles = false; ///< roles of heads follow from it

    bool hasUnits() const { return groupName; }
};

/// Every kind has one row.
std::span<const ResultKindInfo> resultKinds();
const ResultKindInfo &infoOf(ResultKind kind);
/// Those kinds whose rows `isMeant`.
ResultKinds kindsWhere(bool ResultKindInfo::*isMeant);

/// Those that say something of the model alone: they are shown whichever data are open, or none.
ResultKinds kindsOfModel();
inline bool isOfModel(ResultKind kind)
{
    return kindsOfModel().testFlag(kind);
}

AnalysisTraits traitsOf(const AnySpec &spec);
/// The kind of what comes out of a spec.
UnitKind kindOf(const AnySpec &spec);
/// What a result was asked for. Throws Failure where its options cannot be read, or no analysis has such results.
/// Precondition: it has a manifest.
AnySpec askedSpec(const AnyResult &result);
/// What tells a result apart from others of its kind; of kinds without a page the name of the kind of result.
std::string detailOf(const AnyResult &result);

} // namespace headscope
