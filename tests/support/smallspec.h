#pragma once

#include "core/model/family.h"
#include "core/model/transformer.h"

#include <cmath>
#include <cstdint>

namespace headscope::testing {

/// An encoder-decoder of a width of 32 over 50 tokens, for tests of what training is made of.
inline TransformerSpec smallSpec(std::int64_t layers, std::int64_t heads)
{
    TransformerSpec spec;
    spec.width = 32;
    spec.maxPositions = 16;
    spec.outputBias = true;
    LayerShape shape;
    shape.layers = layers;
    shape.attention.allHeads = heads;
    shape.attention.headWidth = spec.width / heads;
    shape.attention.scale = 1 / std::sqrt(static_cast<double>(shape.attention.headWidth));
    shape.feedForward.width = 64;
    spec.encoder = makeStack(Side::Encoder, shape, 50);
    shape.readsMemory = true;
    spec.decoder = makeStack(Side::Decoder, shape, 50);
    return spec;
}

} // namespace headscope::testing
