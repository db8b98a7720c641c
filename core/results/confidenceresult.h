#pragma once

#include "core/base/headref.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <vector>

/// The largest attention weights of heads (Voita et al. 2019, section 4).
namespace headscope {

struct HeadConfidence
{
    HeadRef head;
    double confidence = 0; ///< mean over query tokens of the largest weight, special tokens left out
    std::int64_t tokens = 0;
    std::vector<HeadRef> together{}; ///< the other heads of its group, where the mean is of groups
};

struct ConfidenceResult
{
    static constexpr const char *kKind = "confidence";
    Manifest manifest;
    std::vector<HeadConfidence> heads;
    std::int64_t examples = 0;
};

} // namespace headscope
