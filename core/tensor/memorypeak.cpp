#include "core/tensor/memorypeak.h"

#include "core/tensor/freememory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace headscope {
namespace {

/// A line of /proc/self/status, in bytes.
std::optional<std::int64_t> statusBytes(const std::string &key)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(key))
            return std::stoll(line.substr(key.size())) * 1024;
    }
    return std::nullopt;
}

/// Lets the system forget the highest memory of the past.
bool resetPeak()
{
    std::ofstream file("/proc/self/clear_refs");
    file << '5';
    file.close();
    return !file.fail();
}

} // namespace

std::optional<std::int64_t> peakMemoryOf(const torch::Device &device, const std::function<void()> &work)
{
    if (!device.is_cpu()) {
        work();
        return std::nullopt;
    }
    returnFreeMemory();
    const bool known = resetPeak();
    const auto before = statusBytes("VmRSS:");
    work();
    const auto peak = statusBytes("VmHWM:");
    if (!known || !before || !peak)
        return std::nullopt;
    return std::max<std::int64_t>(0, *peak - *before);
}

} // namespace headscope
