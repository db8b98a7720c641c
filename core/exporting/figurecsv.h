#pragma once

#include "core/results/energyresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"

#include <string>

/// The numbers behind single figures, where a result has more than a line per head.
namespace headscope {

/// "dependent → head": how tables name it.
const char *directionText(ArcDirection direction);
/// The best head of every relation beside the best fixed offset (Clark et al. 2019, Table 1): a line per relation and
/// direction.
std::string relationsCsv(const RolesResult &roles);
/// Where partners of words lie (Voita et al. 2019, Figure 3): a line per relation, direction and offset, with its count
/// and share of the relation's words.
std::string relationOffsetsCsv(const RolesResult &roles);
/// How often every head finds the partner in every relation (Voita et al. 2019, Figure 4): a line per head, relation
/// and direction, with the best fixed offset's accuracy beside it.
std::string relationHeadsCsv(const RolesResult &roles);
/// The contributions of source and prefix, by target position (Voita et al. 2021).
std::string contributionsCsv(const RelevanceResult &relevance);
/// The contribution of each token of the source and of the prefix: a line per example, step and token, by their places,
/// and of a single example (`relevance --example`) as spelt. Of results that keep their sentences.
std::string tokenContributionsCsv(const RelevanceResult &relevance);
/// Every point of every curve (Cordonnier et al. 2020, Figure 1): a line per attention or head, matrix and number of
/// dimensions, with the energy that so many have.
std::string energyCurvesCsv(const EnergyResult &energy);

} // namespace headscope
