#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string_view>

namespace headscope {

/// Receives the next bytes of a file that is being written.
using ByteSink = std::function<Result<Done>(std::string_view bytes)>;

/// Writes a file so that at any moment either the old or the whole new content is there: into a temporary file in the
/// same folder, flushed to disk, then renamed. `write` passes its bytes to the sink in pieces and returns the sink's
/// errors; when it fails or throws, nothing changes on disk. A file that is replaced keeps its permissions. What is no
/// regular file stays where it is: devices and pipes are written to as they are (a pipe without a reader is an error),
/// others refused.
Result<Done> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<Result<Done>(const ByteSink &)> &write);
Result<Done> writeFileAtomically(const std::filesystem::path &path, std::string_view bytes);

/// Writes a file and what describes it (a table and its manifest). Where the disk is full both stay as they were; and a
/// companion never lies beside a file that it does not describe, even after a crash: the old companion is removed
/// before the file changes.
Result<Done> writeWithCompanion(const std::filesystem::path &path, std::string_view bytes,
                                const std::filesystem::path &companion, std::string_view companionBytes);

/// Whether writeFileAtomically() could write now: tested before long computations. Changes nothing.
Result<Done> checkWritable(const std::filesystem::path &path);

} // namespace headscope
