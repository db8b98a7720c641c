#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace headscope {

/// As parseJson() of jsonfile.h, but Python's Infinity and NaN are refused: a number that somebody asks for must be
/// one.
Result<nlohmann::json> parseStrictJson(std::string_view text, const std::string &name);

} // namespace headscope
