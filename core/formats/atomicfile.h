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
/// the sink's errors; when it fails or throws, nothing changes on disk. A file that is replaced keeps its permissions.
/// What is no regular file stays where it is: devices and pipes are written to as they are (a pipe without a reader is
/// an error), others refused.
Result<Done> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<Result<Done>(const ByteSink &)> &write);
Result<Done> writeFileAtomically(const std::filesystem::path &path, std::string_view bytes);

/// Whether writeFileAtomically() could begin now: tried, so that it is known before long work. Changes nothing.
Result<Done> checkWritable(const std::filesystem::path &path);

} // namespace headscope
