#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace headscope {

inline constexpr std::int64_t kLargestJson = std::int64_t{256} << 20;
inline constexpr int kDeepestJson = 128; ///< levels

/// A JSON value from a file of at most `limit` bytes, nested at most kDeepestJson deep. Python's NaN becomes null, its
/// Infinity the largest double. Errors name the file and the place.
Result<nlohmann::json> readJsonFile(const std::filesystem::path &path, std::int64_t limit = kLargestJson);

/// A JSON value from text; errors call it `name` (a file, or a line of one).
Result<nlohmann::json> parseJson(std::string_view text, const std::string &name);

} // namespace headscope
