#include "core/tensor/freememory.h"

#include <cstdlib>
#include <fstream>
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

std::optional<std::int64_t> availableMemory()
{
    std::ifstream lines("/proc/meminfo");
    std::string name;
    std::int64_t kibibytes = 0;
    while (lines >> name >> kibibytes) {
        if (name == "MemAvailable:")
            return kibibytes * 1024;
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

} // namespace headscope
