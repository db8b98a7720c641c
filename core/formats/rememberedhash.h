#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope {

/// hashFile(), and for large files what it was the last time, by whichever program: it lies in cacheFolder(), and holds
/// as long as the file has the same path, size, inode and times (of its content and of its entry, in nanoseconds). A
/// file that was written to a moment ago is not remembered: it could be written to again within the same tick of its
/// clock.
Result<std::string> rememberedHash(const std::filesystem::path &path, const JobControl &control = {});

} // namespace headscope
