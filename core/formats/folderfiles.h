#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What formats that are whole folders look for in them.
namespace headscope {

/// Names of the files of a folder that are `wanted`, ascending; hidden ones are not. Empty: also where it cannot be
/// read.
std::vector<std::string> filesThat(const std::filesystem::path &folder,
                                   const std::function<bool(std::string_view name)> &wanted);

/// Of the names `found` the first of `usual`, or the only one. Errors: none, several. `library`: that they are
/// checkpoints of; `remedy`: what to do where there are several.
Result<std::filesystem::path> oneCheckpoint(const std::filesystem::path &folder, const std::vector<std::string> &found,
                                            const std::vector<std::string> &usual, const std::string &library,
                                            const std::string &remedy);

} // namespace headscope
