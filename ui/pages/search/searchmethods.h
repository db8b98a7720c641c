#pragma once

#include "core/results/removableheads.h"
#include "core/results/searchresult.h"
#include "ui/charts/lineseries.h"
#include "ui/models/gridcontent.h"

#include <QString>

#include <array>
#include <cstdint>

namespace headscope {

/// The three masks of a budget, each made from the one before.
enum class SearchMethod { Searched, Rearranged, Rescaled };
inline constexpr std::array kSearchMethods = {SearchMethod::Searched, SearchMethod::Rearranged, SearchMethod::Rescaled};

QString searchMethodName(SearchMethod method);        ///< "Rearranged"
QString searchMethodExplanation(SearchMethod method); ///< a sentence: what was done
const FoundMask &foundMask(const SearchPoint &point, SearchMethod method);
/// How many heads can go by the masks of a method.
RemovableHeads removableBy(const SearchResult &result, SearchMethod method, const SignificanceRule &rule);
/// How many of the candidates can go, method by method, as a sentence; or why that cannot be told.
QString removableSentence(const SearchResult &result, const SignificanceRule &rule);

/// Scores against heads removed, a line per method, and the full model's score.
LineSeries makeSearchSeries(const SearchResult &result);
/// Fisher information of every head, as a share of all heads' together.
GridContent fisherContent(const HeadLayout &layout, const SearchResult &result);

} // namespace headscope
