#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace headscope {

/// The error of the standard library where it cannot ask the system something about files: most often the working
/// directory was deleted, from which names that are not absolute begin.
Error fileSystemError(const std::filesystem::filesystem_error &error);

} // namespace headscope
