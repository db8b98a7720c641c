#pragma once

#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "ui/charts/lineseries.h"

#include <vector>

namespace headscope {

/// Where partners of words lie, a line per relation over the offsets −7 … 7 in per cent of its words (Voita et al.
/// 2019, Figure 3). Of the relations that make heads syntactic, from dependents to their heads, with enough words.
LineSeries makeRelationOffsets(const RolesResult &result, const RoleThresholds &thresholds = {});

/// How often heads find the partner, in per cent, over the relations that make heads syntactic in both directions: a
/// point per head of the first result, the best of them named, and the best fixed offset as a mark (Voita et al. 2019,
/// Figure 4 and Table 1). Of several results (of other models) the best heads alone stand side by side.
LineSeries makeRelationHeads(const std::vector<const RolesResult *> &results, const RoleThresholds &thresholds = {});

/// The source's share of relevance over the target positions, in per cent (Voita et al. 2021). Empty: the model has no
/// source.
LineSeries makeContributionSeries(const RelevanceResult &result);
/// How the relevance of source and prefix is spread over their tokens: entropies in nats over the target positions.
LineSeries makeContributionEntropies(const RelevanceResult &result);

} // namespace headscope
