#pragma once

#include <filesystem>
#include <string_view>

/// Names that writers give their work until it is done, and what is left of it when they are killed.
namespace headscope {

inline constexpr std::string_view kUnfinishedFile = ".tmp";
inline constexpr std::string_view kUnfinishedFolder = ".partial";

/// An unused hidden name beside `target`: ".NAME.PROCESS.NUMBER" and the ending.
std::filesystem::path unfinishedName(const std::filesystem::path &target, std::string_view ending);

/// Tells other programs, as long as the descriptor is open, that an unfinished file or folder is being written. Where
/// the file system has no locks, nothing happens.
void markUnfinished(int descriptor);

/// Removes what killed programs have left in a folder under names of unfinishedName(): what no program marks, and was
/// made more than a minute ago. Once per folder and process; where it cannot be told whether somebody writes, nothing
/// is removed.
void removeLeftovers(const std::filesystem::path &folder);

} // namespace headscope
