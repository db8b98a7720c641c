#pragma once

#include "core/results/gradientsresult.h"
#include "core/roles/headcounts.h"
#include "core/roles/surface.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

/// The class of every key for every query of an example, in one kind of attention: the same for all heads.
struct KeyMap
{
    struct Count
    {
        std::int64_t pairs = 0;
        std::int64_t queries = 0;
    };
    std::int64_t keys = 0;
    bool causal = false;           ///< keys after the query are of no class
    std::vector<KeyClass> classes; ///< [T, S]
    std::array<Count, kKeyClasses> counts{};

    std::int64_t queries() const { return keys > 0 ? std::ssize(classes) / keys : 0; }
};

/// `queryIds` and `keyIds` are the tokens of `surface`. Keys of cross-attention are no query's neighbours or
/// repetitions.
KeyMap keyMap(const SurfaceTemplate &surface, const std::vector<std::int64_t> &queryIds,
              const std::vector<std::int64_t> &keyIds);

/// Sums over pairs of a query and a key, by class.
struct KeySum
{
    double attention = 0;
    double gradient = 0; ///< of absolute values
    double product = 0;
};
using KeySums = std::array<KeySum, kKeyClasses>;

/// Adds one head's attention to an example, and the derivatives of the loss by it: row t of `gradients` is at
/// t·attention.stride.
void addKeyGradients(const HeadAttention &attention, const float *gradients, const KeyMap &map, KeySums &sums);

} // namespace headscope
