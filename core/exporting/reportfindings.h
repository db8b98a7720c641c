#pragma once

#include "core/results/json.h"
#include "core/results/pruningresult.h"
#include "core/results/reportcontents.h"

#include <string>
#include <vector>

namespace headscope {

enum class Verdict { Holds, DoesNotHold, CannotBeTold };
const char *toText(Verdict verdict); ///< "holds", "does not hold", "cannot be told"

/// A claim of Michel, Levy and Neubig (2019), of Voita et al. (2019; rolereport.h) or another of the papers
/// (paperreport.h), on one data set of a report.
struct Finding
{
    std::string claim; ///< "Most heads are redundant"
    std::string where; ///< data set; empty: of the study as a whole
    std::string item;  ///< the table or figure that the claim is read off, by its id in paperitems.h; empty: of none
    std::string rule;  ///< a sentence: when it holds, and when it does not
    Verdict verdict = Verdict::CannotBeTold;
    std::string numbers{}; ///< the sentences that the verdict rests on

    /// This claim where its verdict cannot be told: `missing` is a sentence that says why.
    Finding untold(std::string missing) const;
};

/// The results' verdicts on the papers' claims. A claim whose result is missing cannot be told; one about a kind of
/// attention that the model lacks is left out.
std::vector<Finding> findingsOf(const ReportContents &contents);

/// [{"claim", "data", "verdict", "numbers", "item", "rule"}]
Json toJson(const std::vector<Finding> &findings);

/// Mean height of a curve over the share of removed heads, as a share of the full model's score: 1 = nothing is ever
/// lost. By the trapezoid rule over the points there are; NaN for less than two, or a full model that scores 0.
double curveHeight(const PruningCurve &curve);
/// Differences of the heights of two curves within this (in the same unit) say little: the halves of the mean widths of
/// their intervals, as the hypotenuse of both. Intervals are those of the paired differences from the full model, which
/// both curves share with the examples: their own difference varies less than if they were independent. Of a random
/// band the range of its orders. NaN: a curve has no such intervals.
double curveBlur(const PruningCurve &a, const PruningCurve &b);

} // namespace headscope
