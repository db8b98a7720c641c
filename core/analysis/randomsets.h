#pragma once

#include "core/base/headref.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Sets of random heads that `chosen` ones are compared with: as many heads of each attention as these have there, none
/// of them; fewer where there are not as many others.
std::vector<HeadMask> randomSetsBeside(const HeadLayout &layout, const HeadMask &chosen, std::int64_t sets,
                                       std::uint64_t seed);

} // namespace headscope
