#pragma once

#include "core/results/json.h"

#include <string_view>

namespace headscope {

RelevanceResult relevanceFromJson(const nlohmann::json &object); ///< throws as jsonread.h says

std::string_view toText(RelevanceRule rule); ///< alpha-beta epsilon attnlrp cp-lrp
Result<RelevanceRule> parseRelevanceRule(std::string_view text);

} // namespace headscope
