#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Files of which the folder of a model has one; model.pt and checkpoint_best.pt are fairseq's, the last
/// two Marian's.
inline constexpr std::array<std::string_view, 5> kModelMarks{"config.json", "model.pt", "checkpoint_best.pt",
                                                             "decoder.yml", "model.npz"};

struct FolderEntry
{
    std::string name;
    bool folder = false;
    bool model = false;     ///< a folder with a file of kModelMarks
    std::int64_t bytes = 0; ///< of a file

    bool operator==(const FolderEntry &) const = default;
};

/// The content of a folder, folders first, by name; without hidden entries.
struct FolderListing
{
    std::filesystem::path folder; ///< absolute, without links and dots
    std::vector<FolderEntry> entries;
    bool more = false; ///< there are more than kMostListed
};
inline constexpr std::size_t kMostListed = 5000;

/// An empty path: the user's home. Errors: not there, not a folder, not readable.
Result<FolderListing> listFolder(const std::filesystem::path &folder, const JobControl &control);

} // namespace headscope
