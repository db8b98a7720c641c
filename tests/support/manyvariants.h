#pragma once

#include "core/base/random.h"
#include "core/task/task.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope::testing {

/// Every head alone, all but one of a layer, and `count` masks of 2 … 1 + `most` heads.
inline std::vector<Variant> manyVariants(const HeadLayout &layout, int count, std::size_t most, std::uint64_t seed)
{
    std::vector<Variant> variants;
    for (const HeadRef &head : layout.heads()) {
        variants.push_back({{head}});
        HeadMask others;
        for (const HeadRef &other : layout.heads())
            others.set(other, other.kind == head.kind && other.layer == head.layer && other.head != head.head);
        variants.push_back({others});
    }
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        auto heads = layout.heads();
        shuffle(heads, random);
        heads.resize(std::min<std::size_t>(heads.size(), 2 + random.below(static_cast<std::uint32_t>(most))));
        variants.push_back({HeadMask(heads)});
    }
    return variants;
}

} // namespace headscope::testing
