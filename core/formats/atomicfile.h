#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string_view>

namespace headscope {

/// Takes the next bytes of a file being written.
using ByteSink = std::function<Result<Done>(std::string_view bytes)>;

/// Writes a file so that at any moment either the old or the whole new content is there: into a temporary file
/// in the same folder, flushed to disk, then renamed. `write` hands its bytes to the sink in pieces and passes on
/// the sink's errors; when it fails or throws, nothing changes on disk.
Result<Done> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<Result<Done>(const ByteSink &)> &write);
Result<Done> writeFileAtomically(const std::filesystem::path &path, std::string_view bytes);

} // namespace headscope
