#include "core/formats/leftovers.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// A program marks what it has made at once.
constexpr std::chrono::minutes kSurelyMarked(1);

/// Takes ".DIGITS" off the end of a name; false: there is no such end.
bool dropNumber(std::string_view &name)
{
    const std::size_t dot = name.find_last_not_of("0123456789");
    if (dot == std::string_view::npos || name[dot] != '.' || dot + 1 == name.size())
        return false;
    name = name.substr(0, dot);
    return true;
}

/// Whether unfinishedName() makes such names.
bool isUnfinishedName(std::string_view name)
{
    for (const std::string_view ending : {kUnfinishedFile, kUnfinishedFolder}) {
        if (!name.ends_with(ending))
            continue;
        name.remove_suffix(ending.size());
        return name.starts_with('.') && dropNumber(name) && dropNumber(name) && name.size() > 1;
    }
    return false;
}

bool isAbandoned(const fs::path &path)
{
    std::error_code unknown;
    const auto written = fs::last_write_time(path, unknown);
    if (unknown || fs::is_symlink(path, unknown) || fs::file_time_type::clock::now() - written < kSurelyMarked)
        return false;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool isFree = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    ::close(descriptor);
    return isFree;
}

} // namespace

fs::path unfinishedName(const fs::path &target, std::string_view ending)
{
    constexpr std::size_t kMostOfName = 200; // names have at most 255 bytes
    static std::atomic<unsigned> counter{0};
    return target.parent_path()
         / fmt::format(".{}.{}.{}{}", target.filename().string().substr(0, kMostOfName), ::getpid(), counter++, ending);
}

void markUnfinished(int descriptor)
{
    (void)::flock(descriptor, LOCK_EX | LOCK_NB);
}

void removeLeftovers(const fs::path &folder)
{
    static std::mutex mutex;
    static std::set<std::string> tidy;
    {
        const std::scoped_lock lock(mutex);
        if (!tidy.insert(folder.string()).second)
            return;
    }
    std::vector<fs::path> found;
    std::error_code none;
    for (fs::directory_iterator at(folder, none), last; !none && at != last; at.increment(none)) {
        if (isUnfinishedName(at->path().filename().string()) && isAbandoned(at->path()))
            found.push_back(at->path());
    }
    for (const fs::path &path : found) {
        std::error_code ignored; // it does no harm
        fs::remove_all(path, ignored);
    }
}

} // namespace headscope
