#include "core/formats/atomicfolder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

Error cannotWrite(const fs::path &folder, const std::string &why)
{
    return resourceError("Cannot write the folder " + folder.string() + ": " + why + ".");
}

/// Puts `temporary` in the place of `folder`. A folder that is not empty cannot be renamed over: it steps aside first,
/// and comes back when that fails.
Result<Done> putInPlace(const fs::path &temporary, const fs::path &folder, Occupied occupied)
{
    std::error_code error;
    const fs::path aside = folder.parent_path() / ("." + folder.filename().string() + ".old");
    const bool stepsAside = occupied == Occupied::Replace && fs::exists(folder, error) && !fs::is_empty(folder, error);
    if (stepsAside) {
        fs::remove_all(aside, error);
        fs::rename(folder, aside, error);
        if (error)
            return cannotWrite(folder, error.message());
    }
    fs::rename(temporary, folder, error);
    if (error) {
        const std::string why = error.message();
        if (stepsAside)
            fs::rename(aside, folder, error);
        return cannotWrite(folder, why);
    }
    if (stepsAside)
        fs::remove_all(aside, error);
    return Done{};
}

} // namespace

Result<Done> makeFolderAtomically(const fs::path &folder,
                                  const std::function<Result<Done>(const fs::path &)> &fill, Occupied occupied)
{
    const fs::path temporary = folder.parent_path() / ("." + folder.filename().string() + ".partial");
    std::error_code error;
    fs::remove_all(temporary, error); // of a run that was killed
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
