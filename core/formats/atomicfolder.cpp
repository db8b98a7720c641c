#include "core/formats/atomicfolder.h"

#include "core/formats/leftovers.h"

#include <fcntl.h>
#include <stdio.h> // renameat2
#include <unistd.h>

#include <system_error>

namespace headscope {
namespace {

namespace fs = std::filesystem;

Error cannotWrite(const fs::path &folder, const std::string &why)
{
    return resourceError("Cannot write the folder " + folder.string() + ": " + why + ".");
}

/// Where a folder waits while another takes its place: a name that nobody else gives.
fs::path asideOf(const fs::path &folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + ".headscope-old");
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

/// Leftovers of a program that was killed while it replaced the folder.
void putBack(const fs::path &folder)
{
    std::error_code error;
    if (!fs::exists(folder, error))
        fs::rename(asideOf(folder), folder, error);
}

/// "FOLDER" and "FOLDER/" are the same.
fs::path withoutSlash(const fs::path &folder)
{
    const fs::path plain = fs::absolute(folder).lexically_normal();
    return plain.has_filename() ? plain : plain.parent_path();
}

/// A new hidden folder beside its target, gone again unless it was moved there.
class UnfinishedFolder
{
public:
    explicit UnfinishedFolder(const fs::path &target) : m_path(unfinishedName(target, kUnfinishedFolder))
    {
        fs::create_directories(target.parent_path(), m_error);
        removeLeftovers(target.parent_path());
        if (!m_error && !fs::create_directory(m_path, m_error) && !m_error)
            m_error = std::make_error_code(std::errc::file_exists);
        m_isMade = !m_error;
        m_mark = m_isMade ? ::open(m_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (m_mark >= 0)
            markUnfinished(m_mark);
    }
    ~UnfinishedFolder()
    {
        std::error_code ignored;
        if (m_isMade)
            fs::remove_all(m_path, ignored); // what was moved is not there any more
        if (m_mark >= 0)
            ::close(m_mark);
    }
    UnfinishedFolder(const UnfinishedFolder &) = delete;
    UnfinishedFolder &operator=(const UnfinishedFolder &) = delete;

    const fs::path &path() const { return m_path; }
    const std::error_code &error() const { return m_error; }

private:
    fs::path m_path;
    std::error_code m_error;
    int m_mark = -1;
    bool m_isMade = false;
};

} // namespace

Result<Done> makeFolderAtomically(const fs::path &named, const std::function<Result<Done>(const fs::path &)> &fill,
                                  Occupied occupied)
{
    const fs::path folder = withoutSlash(named);
    putBack(folder);
    const UnfinishedFolder unfinished(folder);
    if (unfinished.error())
        return cannotWrite(folder, unfinished.error().message());
    const Result<Done> made = fill(unfinished.path());
    return made.isOk() ? putInPlace(unfinished.path(), folder, occupied) : made;
}

} // namespace headscope
