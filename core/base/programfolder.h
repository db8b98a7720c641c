#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

namespace headscope {

/// Resolves paths relative to the folder of the running program ("../share/headscope"), so that its data files are
/// found in the build folder, in /usr, and wherever an installation was moved to. Empty if the system does not say
/// where the program is.
std::vector<std::filesystem::path> relativeToProgram(std::initializer_list<const char *> relative);

} // namespace headscope
