#pragma once

#include "core/base/headunit.h"
#include "core/results/anyresult.h"

#include <QFlags>
#include <QString>

#include <compare>
#include <string>

namespace headscope {

/// The kinds of results of a data set, by which views and changes refer to them. What there is to know of each stands
/// in the table of resultkinds.h.
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
    Needed = 1 << 20,       ///< heads that the output of one example needs
    Takeover = 1 << 21,     ///< what takes over when a head is removed
    Gating = 1 << 22,       ///< gates that are pulled both ways
    Windowed = 1 << 23,     ///< of heads, or of key groups, that see the first keys and those near the query only
    Interactions = 1 << 24, ///< of pairs of heads
    Detected = 1 << 25,     ///< what heads do on repeated random tokens: of the model alone
    Weights = 1 << 26,      ///< what their weights say: of the model alone
    HeadTokens = 1 << 27,   ///< tokens that their weights read, write and match: of the model alone
    Functions = 1 << 28,    ///< heads that carry the task of a prompt's examples: of the model alone
    Paths = 1 << 29,        ///< direct paths from heads to heads and to the output
    Retrieval = 1 << 30,    ///< heads that copy from a long text into an answer: of the model alone
};
Q_DECLARE_FLAGS(ResultKinds, ResultKind)
Q_DECLARE_OPERATORS_FOR_FLAGS(ResultKinds)
inline constexpr ResultKinds kAllResultKinds = ResultKinds::fromInt((1U << 31) - 1);

/// A kind of result, and what it is of: heads, or groups of heads that share a key–value head. Kinds whose results by
/// group are not kept beside those by head have the unit Head.
struct UnitKind
{
    ResultKind kind = ResultKind::Other;
    HeadUnit unit = HeadUnit::Head;

    UnitKind() = default;
    UnitKind(ResultKind of, HeadUnit by = HeadUnit::Head) : kind(of), unit(by) { }
    auto operator<=>(const UnitKind &) const = default;
};

/// Whether heads that share a key–value head were measured as one.
bool isByKeyGroup(const Manifest &manifest);
UnitKind resultKind(const AnyResult &result);
QString resultKindName(const UnitKind &kind); ///< "ablation", "ablation of key groups"
QString resultName(const AnyResult &result);  ///< of its kind; "mcnemar" where no page has a place for it
QString resultTitle(const AnyResult &result); ///< "Ablation"
/// The metric that a result is judged by; empty: it does not depend on one.
std::string metricOf(const AnyResult &result);
/// The heads that were masked all the while, as text; empty: none. Not of scores, which are of a mask by their kind.
std::string maskedThroughout(const AnyResult &result);

} // namespace headscope
