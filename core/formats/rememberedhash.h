#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope {

/// hashFile() with a cache for large files in cacheFolder(), shared by all programs: a cached hash is valid as long as
/// the file has the same path, size, inode and times (of its content and of its entry, in nanoseconds). The hash of a
/// file that was written to a moment ago is not cached: it could be written to again within the same tick of the file
/// system's clock.
Result<std::string> rememberedHash(const std::filesystem::path &path, const JobControl &control = {});

} // namespace headscope
