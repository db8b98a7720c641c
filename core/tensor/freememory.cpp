#include "core/tensor/freememory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <limits>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {

void returnFreeMemory()
{
#ifdef __GLIBC__
    (void)::malloc_trim(0);
#endif
}

namespace {

namespace fs = std::filesystem;

/// A file with one number; nothing: it is not there, or says "max".
std::optional<std::int64_t> numberIn(const fs::path &file)
{
    std::int64_t number = 0;
    return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a name, of a file with such lines; 0: it is not there.
std::int64_t numberOf(const fs::path &file, const std::string &wanted)
{
    std::ifstream lines(file);
    std::string name;
    std::int64_t number = 0;
    while (lines >> name >> number) {
        if (name == wanted)
            return number;
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

/// The memory that a control group allows beside what is in use; what files are cached in is given back when it is
/// needed.
std::optional<std::int64_t> roomIn(const fs::path &group, const char *limit, const char *usage, const char *cached)
{
    const auto most = numberIn(group / limit);
    const auto used = numberIn(group / usage);
    if (!most || !used)
        return std::nullopt;
    const std::int64_t files = numberOf(group / "memory.stat", cached);
    return std::max<std::int64_t>(0, *most - std::max<std::int64_t>(0, *used - files));
}

void lower(std::optional<std::int64_t> &least, std::optional<std::int64_t> value)
{
    if (value && (!least || *value < *least))
        least = value;
}

/// The least room of all groups from the process's own up to the topmost. Inside a container the path may begin outside
/// of what is seen; then only the topmost is there.
std::optional<std::int64_t> roomInGroups(const fs::path &root)
{
    std::optional<std::int64_t> least;
    std::ifstream lines(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(lines, line)) { // "0::/path", or "4:memory:/path" of the first version
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        const bool unified = controllers == ",,";
        if (!unified && controllers.find(",memory,") == std::string::npos)
            continue;
        const fs::path top = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        fs::path group = fs::path(line.substr(second + 1)).relative_path();
        while (true) {
            lower(least, unified ? roomIn(top / group, "memory.max", "memory.current", "inactive_file")
                                 : roomIn(top / group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                          "total_inactive_file"));
            if (group.empty())
                break;
            group = group.parent_path();
        }
    }
    return least;
}

} // namespace

std::optional<std::int64_t> availableMemory(const std::filesystem::path &root)
{
    constexpr std::int64_t kKibibyte = 1024;
    std::optional<std::int64_t> available;
    if (const std::int64_t free = numberOf(root / "proc/meminfo", "MemAvailable:"); free > 0)
        available = free * kKibibyte;
    lower(available, roomInGroups(root));
    return available;
}

} // namespace headscope
