#pragma once

#include "core/results/detectresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Texts about roles of heads. Only supported labels are shown as a head's role.
namespace headscope {

QString roleTitle(Role role);                  ///< "Positional", "Rare word"
QString roleLabelName(const RoleLabel &label); ///< "positional −1"
/// "from the object to its verb": what a head looks from and to, by a relation and its direction.
QString relationWay(const std::string &relation, bool toHead);
/// "positional −1 (94 %)"
QString roleLabelText(const RoleLabel &label);
/// "94 %"; a share of 0 … 1.
QString shareText(double share);

/// "P", "P?" where other roles pass too; empty without labels.
QString roleMark(const std::vector<RoleLabel> &labels);
/// "positional −1 (94 %), or rare word (61 %)"; of several labels of one role only the first. Empty without labels.
QString rolesText(const std::vector<RoleLabel> &labels);

/// For sorting: by role, then by score, highest first; heads without a role last.
double roleSortValue(const std::vector<RoleLabel> &labels);

/// The roles of the heads, in the order of Role: those that legends and filters offer.
std::vector<Role> rolesPresent(const std::vector<HeadRoles> &heads);
/// nullptr: no such head.
const HeadRoles *findRoles(const std::vector<HeadRoles> &heads, const HeadRef &head);

/// "Syntactic": of the roles that one score and one test are for.
QString roleDetectorTitle(RoleDetector detector);
/// "2.31, p < 0.001", the p of all heads and roles together.
QString roleDetectorText(const RoleDetectorScore &score);

QString detectorName(HeadDetector detector); ///< "duplicate token"

QString relevanceRuleName(RelevanceRule rule); ///< "αβ rule"
/// Half of the 95 % interval of a head's relevance, a mean of so many examples; 0: not estimated.
double relevanceHalf(double standardError, std::int64_t examples);
/// "relevance 0.127 ±0.002", with relevanceHalf(); 0: not estimated.
QString relevanceText(double relevance, double half);

} // namespace headscope
