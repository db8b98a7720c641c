#pragma once

#include "core/results/json.h"
#include "core/results/roles.h"

#include <string_view>

namespace headscope {

/// With the labels that `thresholds` give: the form of the command `roles`. Labels follow from the counts and are not
/// read back.
Json toJson(const RolesResult &result, const RoleThresholds &thresholds);
RolesResult rolesFromJson(const nlohmann::json &object); ///< throws as jsonread.h says

std::string_view toText(AttentionMeasure measure); ///< weights norm-shares norms
std::string_view toText(SpecialTokens tokens);     ///< excluded not-queries not-keys counted
Result<AttentionMeasure> parseAttentionMeasure(std::string_view text);
Result<SpecialTokens> parseSpecialTokens(std::string_view text);

} // namespace headscope
