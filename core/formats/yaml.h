#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace headscope {

/// A YAML document as JSON: keys as they are written, plain scalars as null, booleans and numbers where YAML 1.2 reads
/// them so, everything else as text. An empty document is null. Errors call the text `name` and say the line: what is
/// no YAML, keys that are no text or are there twice, aliases (which could make a small file a huge value), more than
/// 50 levels, a second document.
Result<nlohmann::json> parseYaml(std::string_view text, const std::string &name);

/// The document in a file of at most `largest` bytes.
Result<nlohmann::json> readYamlFile(const std::filesystem::path &path, std::size_t largest = std::size_t{1} << 28);

} // namespace headscope
