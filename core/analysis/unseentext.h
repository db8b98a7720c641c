#pragma once

#include "core/metrics/pairedtests.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace headscope {

/// How much none of so many examples shows, in words: "up to 3/200 = 1.5 % of outputs" (mostUnseen(); 95 %), and of
/// three or fewer "all outputs". `what`: of what, "outputs".
inline std::string unseenText(std::int64_t examples, const std::string &what)
{
    const double share = mostUnseen(examples);
    return share < 1 ? fmt::format("up to 3/{} = {:.2g} % of {}", examples, 100 * share, what) : "all " + what;
}

} // namespace headscope
