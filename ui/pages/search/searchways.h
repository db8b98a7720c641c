#pragma once

#include "core/results/searchresult.h"
#include "ui/charts/lineseries.h"
#include "ui/models/gridcontent.h"

#include <QString>

#include <array>
#include <cstdint>

namespace headscope {

/// The three masks of a budget, each made from the one before.
enum class SearchWay { Searched, Rearranged, Rescaled };
inline constexpr std::array kSearchWays = {SearchWay::Searched, SearchWay::Rearranged, SearchWay::Rescaled};

QString searchWayName(SearchWay way);        ///< "Rearranged"
QString searchWayExplanation(SearchWay way); ///< a sentence: what was done
const FoundMask &foundMask(const SearchPoint &point, SearchWay way);
/// The most heads of any budget up to which no budget's score is significantly worse than the whole model's.
std::int64_t headsWithoutLoss(const SearchResult &result, SearchWay way);

/// Scores against heads removed, a line per way, and the whole model's score.
LineSeries makeSearchSeries(const SearchResult &result);
/// Fisher information of every head, as a share of all heads' together.
GridContent fisherContent(const HeadLayout &layout, const SearchResult &result);

} // namespace headscope
