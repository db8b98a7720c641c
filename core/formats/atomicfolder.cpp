#include "core/formats/atomicfolder.h"

#include <fcntl.h>
#include <stdio.h> // renameat2

namespace headscope {
namespace {

namespace fs = std::filesystem;

Error cannotWrite(const fs::path &folder, const std::string &why)
{
    return resourceError("Cannot write the folder " + folder.string() + ": " + why + ".");
}

/// Where a folder waits while another takes its place.
fs::path asideOf(const fs::path &folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + ".old");
}

/// A folder that is not empty cannot be renamed over: it steps aside first, and comes back when that fails.
Result<Done> replace(const fs::path &temporary, const fs::path &folder)
{
    std::error_code error;
    // In one step, where the file system can.
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(temporary, error);
        return Done{};
    }
    const fs::path aside = asideOf(folder);
    fs::remove_all(aside, error);
    fs::rename(folder, aside, error);
    if (error)
        return cannotWrite(folder, error.message());
    fs::rename(temporary, folder, error);
    if (error) {
        const std::string why = error.message();
        fs::rename(aside, folder, error);
        return cannotWrite(folder, why);
    }
    fs::remove_all(aside, error);
    return Done{};
}

Result<Done> putInPlace(const fs::path &temporary, const fs::path &folder, Occupied occupied)
{
    std::error_code error;
    if (occupied == Occupied::Replace && fs::exists(folder, error) && !fs::is_empty(folder, error))
        return replace(temporary, folder);
    fs::rename(temporary, folder, error);
    return error ? Result<Done>(cannotWrite(folder, error.message())) : Result<Done>(Done{});
}

/// What a program left that was killed while it wrote the folder.
void tidyUp(const fs::path &temporary, const fs::path &folder)
{
    std::error_code error;
    fs::remove_all(temporary, error);
    if (!fs::exists(folder, error))
        fs::rename(asideOf(folder), folder, error);
}

} // namespace

Result<Done> makeFolderAtomically(const fs::path &folder, const std::function<Result<Done>(const fs::path &)> &fill,
                                  Occupied occupied)
{
    const fs::path temporary = folder.parent_path() / ("." + folder.filename().string() + ".partial");
    tidyUp(temporary, folder);
    std::error_code error;
    fs::create_directories(temporary, error);
    if (error)
        return cannotWrite(folder, error.message());
    try {
        Result<Done> made = fill(temporary);
        if (made.isOk())
            made = putInPlace(temporary, folder, occupied);
        if (!made.isOk())
            fs::remove_all(temporary, error);
        return made;
    } catch (...) { // cancelled
        fs::remove_all(temporary, error);
        throw;
    }
}

} // namespace headscope
