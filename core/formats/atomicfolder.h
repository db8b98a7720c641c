#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>

namespace headscope {

/// The treatment of a folder that is not empty.
enum class Occupied { Refuse, Replace };

/// Creates a folder atomically: `fill` writes into a temporary folder beside it, which is then renamed. A folder that
/// is replaced stays as it is until the new one is complete; both change places in one step where the file system can
/// do that. Elsewhere a program that is killed between two steps leaves the old folder as ".NAME.headscope-old", and
/// the next call puts it back.
Result<Done> makeFolderAtomically(const std::filesystem::path &folder,
                                  const std::function<Result<Done>(const std::filesystem::path &)> &fill,
                                  Occupied occupied = Occupied::Refuse);

} // namespace headscope
