#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace headscope {

/// The study that comes with the program: demo.headscope in the folder that HEADSCOPE_DEMO names, in
/// ../share/headscope/demo beside the program, or in the source tree it was built from. Error: none of them has it.
Result<std::filesystem::path> demoStudy();

} // namespace headscope
