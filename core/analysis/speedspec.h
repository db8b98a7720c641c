#pragma once

#include "core/base/headref.h"
#include "core/results/speedresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// What is measured of a model's speed (METHODS 1.7).
struct SpeedSpec
{
    RunOptions run{};               ///< decoding and seed; importance, where `mask` is not given
    std::optional<HeadMask> mask{}; ///< the heads to go; none: the least important ones, as many as `fraction` says
    double fraction = 0.5;          ///< of all heads, rounded down
    std::vector<std::int64_t> batchSizes{1, 4, 16, 64};
    std::vector<LengthPolicy> lengths{LengthPolicy::Bucketed, LengthPolicy::AsIs};
    std::int64_t examples = 256; ///< drawn at random by the seed, kept in the order of the data; 0 = all
    int repeats = 5;
    int warmUp = 10; ///< batches of every contender before each measurement
};

} // namespace headscope
