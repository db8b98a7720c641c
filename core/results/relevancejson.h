#pragma once

#include "core/results/json.h"

#include <string_view>

namespace headscope {

RelevanceResult relevanceFromJson(const nlohmann::json &object); ///< throws as jsonread.h says


} // namespace headscope
