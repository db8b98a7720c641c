#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Files of formats that are whole folders.
namespace headscope {

/// Whether a name that stands in a file can only be that of a file in the same folder: no path, nothing hidden, no NUL.
bool isPlainFileName(std::string_view name);

/// Names of the files of a folder that are `wanted`, ascending; hidden ones are not. Empty: also where it cannot be
/// read.
std::vector<std::string> filesThat(const std::filesystem::path &folder,
                                   const std::function<bool(std::string_view name)> &wanted);

/// Refuses the folder of a model in which something that a model is read from is no file: a link to nothing, which
/// would count as if it were not there, and the model would compute otherwise; a pipe, device or socket, which would be
/// waited for. Told by the endings of names; weights for other libraries and whatever else lies there are not looked
/// at.
Result<Done> requireFiles(const std::filesystem::path &folder);

/// The first of `usual` among the names `found`, or the only one there. Errors: none, several. `library`: that they are
/// checkpoints of; `remedy`: what to do where there are several.
Result<std::filesystem::path> oneCheckpoint(const std::filesystem::path &folder, const std::vector<std::string> &found,
                                            const std::vector<std::string> &usual, const std::string &library,
                                            const std::string &remedy);

} // namespace headscope
