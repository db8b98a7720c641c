#pragma once

#include <algorithm>
#include <chrono>

namespace headscope {

/// The shortest of three runs.
template<typename Work>
double shortestSeconds(Work &&work)
{
    double shortest = 1e9;
    for (int run = 0; run < 3; ++run) {
        const auto start = std::chrono::steady_clock::now();
        work();
        shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return shortest;
}

} // namespace headscope
