#pragma once

#include "core/results/json.h"
#include "core/results/roles.h"

#include <string_view>

namespace headscope {

/// With the labels that `thresholds` give: the form of the command `roles`. Labels follow from the counts and are not
/// read back.
Json toJson(const RolesResult &result, const RoleThresholds &thresholds);
RolesResult rolesFromJson(const nlohmann::json &object); ///< throws as jsonread.h says


} // namespace headscope
