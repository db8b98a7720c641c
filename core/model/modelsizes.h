#pragma once

#include <cstdint>
#include <string>

namespace headscope {

/// Sizes of a new model (Vaswani et al. 2017, table 3).
struct ModelSizes
{
    std::string family = "marian"; ///< model_type
    std::int64_t width = 256;      ///< D
    std::int64_t encoderLayers = 4;
    std::int64_t decoderLayers = 4;
    std::int64_t encoderHeads = 8;
    std::int64_t decoderHeads = 8;
    std::int64_t feedForward = 1024; ///< F
    /// D̃_k of query and key projections that all heads of an attention share; 0: each has its own. Also of a model to
    /// go on from, whose own projections are factorized then.
    std::int64_t sharedWidth = 0;
    std::int64_t maxPositions = 512;
    std::string activation = "swish"; ///< relu, gelu, swish, …

    bool operator==(const ModelSizes &) const = default;
};

} // namespace headscope
