#include "core/base/folderlisting.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <tuple>

namespace headscope {

namespace {

namespace fs = std::filesystem;

fs::path home()
{
    const char *folder = std::getenv("HOME");
    return folder != nullptr && *folder != '\0' ? fs::path(folder) : fs::path("/");
}

FolderEntry entryOf(const fs::directory_entry &found)
{
    std::error_code ignored; // what cannot be looked at is shown as an empty file
    FolderEntry entry{.name = found.path().filename().string()};
    entry.folder = found.is_directory(ignored);
    if (entry.folder)
        entry.model = std::ranges::any_of(kModelMarks, [&](std::string_view name) {
            std::error_code none;
            return fs::is_regular_file(found.path() / name, none);
        });
    else if (found.is_regular_file(ignored))
        entry.bytes = static_cast<std::int64_t>(found.file_size(ignored));
    return entry;
}

} // namespace

Result<FolderListing> listFolder(const fs::path &folder, const JobControl &control)
{
    std::error_code error;
    FolderListing listing;
    listing.folder = fs::canonical(folder.empty() ? home() : folder, error);
    fs::directory_iterator found;
    if (!error)
        found = fs::directory_iterator(listing.folder, error);
    if (error)
        return badInput(folder.string() + ": " + error.message() + '.');
    for (; found != fs::directory_iterator(); found.increment(error)) {
        if (control.cancelled())
            return Result<FolderListing>::cancelled();
        if (found->path().filename().string().starts_with('.'))
            continue;
        if (listing.entries.size() == kMostListed) {
            listing.more = true;
            break;
        }
        listing.entries.push_back(entryOf(*found));
    }
    std::ranges::sort(listing.entries, {},
                      [](const FolderEntry &entry) { return std::tuple(!entry.folder, entry.name); });
    return listing;
}

} // namespace headscope
