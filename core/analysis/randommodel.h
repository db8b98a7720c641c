#pragma once

#include "core/model/transformer.h"

#include <cstdint>
#include <memory>

namespace headscope {

/// A model of the same shape that knows nothing, as a baseline of what training does to attention: normal numbers with
/// BERT's deviation of new weights, 0.02 at a width of 768 and √(768/D) times as much at width D; norms of ones and
/// zeros, biases of zeros. Equal seeds give equal weights.
std::shared_ptr<const Transformer> withRandomWeights(const Transformer &model, std::uint64_t seed);

} // namespace headscope
