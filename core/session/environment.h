#pragma once

#include <string>
#include <vector>

namespace headscope {

/// Program, library and processor facts for About and `inspect`.
struct Environment
{
    std::string version;
    std::string libtorch;
    std::string blas;
    int threads = 0;
    std::string processor;
    std::vector<std::string> devices;
    std::vector<std::string> warnings; ///< slow combinations, each with its remedy
};
/// `threads`: as they were asked for; 0 = one per core.
Environment environment(int threads = 0);

} // namespace headscope
