#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>

namespace headscope {

/// What becomes of a folder that has something in it already.
enum class Occupied { Refuse, Replace };

/// Makes a folder appear whole or not at all: `fill` writes into a temporary one beside it, which is then renamed. A
/// folder that is replaced stays as it is until the new one is complete; both change places in one step where the file
/// system can do that. Elsewhere a program that is killed between two steps leaves the old folder as ".NAME.old", and
/// the next call puts it back.
Result<Done> makeFolderAtomically(const std::filesystem::path &folder,
                                  const std::function<Result<Done>(const std::filesystem::path &)> &fill,
                                  Occupied occupied = Occupied::Refuse);

} // namespace headscope
