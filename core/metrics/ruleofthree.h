#pragma once

#include <algorithm>
#include <cstdint>

namespace headscope {

/// The rule of three (Hanley and Lippman-Hand 1983): what was seen in none of `examples` happens, at 95 %, in at most
/// this share of all. A bootstrap cannot know: resamples of equal values are equal, and their interval has no width.
inline double mostUnseen(std::int64_t examples)
{
    return examples > 0 ? std::min(1.0, 3.0 / static_cast<double>(examples)) : 1.0;
}

} // namespace headscope
