#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

namespace headscope {

/// Folders that are given as seen from the one that the running program lies in ("../share/headscope"): where what
/// comes with it is found, in the build folder, in /usr, and wherever an installation was moved to. Empty where the
/// system does not tell where the program is.
std::vector<std::filesystem::path> relativeToProgram(std::initializer_list<const char *> relative);

} // namespace headscope
