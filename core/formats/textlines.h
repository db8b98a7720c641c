#pragma once

#include "core/base/jobcontrol.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The largest size of unpacked text. A .gz of a few kilobytes can claim to hold terabytes.
inline constexpr std::int64_t kLargestText = std::int64_t{2} << 30;

/// Refuses a named pipe, a device or a folder where a file of a model or of Headscope's own belongs: reading one would
/// wait for whoever writes into it. What is not there is left to whoever reads it, and so is what another program hands
/// over without a name (standard input, `<(command)`).
Result<Done> requireRegularFile(const std::filesystem::path &path);

/// The bytes of a file, unpacked when it is gzip or xz (told by content, not by name).
/// Errors: missing, unreadable, truncated or damaged, or larger than `limit` bytes. `lines` above 0: no more is read,
/// nor unpacked, than the first so many lines (ended by \n) need.
Result<std::string> readBytes(const std::filesystem::path &path, const JobControl &control = {},
                              std::int64_t limit = kLargestText, std::int64_t lines = 0);

/// The text of a UTF-8 file without byte order mark; plain, .gz or .xz. Errors name the line of invalid UTF-8.
Result<std::string> readText(const std::filesystem::path &path, const JobControl &control = {},
                             std::int64_t limit = kLargestText, std::int64_t lines = 0);

/// The lines of a UTF-8 file. \n and \r\n end a line (\r alone does only in a file without any \n);
/// an empty file has no lines. `lines` above 0: no more of them than so many, as readBytes().
Result<std::vector<std::string>> readLines(const std::filesystem::path &path, const JobControl &control = {},
                                           std::int64_t limit = kLargestText, std::int64_t lines = 0);

/// The ends of a text's lines: \n (with or without \r before it), or \r, as of old in Mac OS, where there is no \n.
char lineEndOf(std::string_view text);

/// readLines for text that is in memory already.
std::vector<std::string> splitLines(std::string_view text);

} // namespace headscope
