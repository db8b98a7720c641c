#include "core/analysis/randomsets.h"

#include "core/base/random.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {

std::vector<HeadMask> randomSetsBeside(const HeadLayout &layout, const HeadMask &chosen, std::int64_t sets,
                                       std::uint64_t seed)
{
    Random random(seed);
    std::vector<HeadMask> drawn;
    for (std::int64_t set = 0; set < sets; ++set) {
        HeadMask mask;
        for (const HeadLayout::Block &block : layout.blocks()) {
            for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
                std::vector<HeadRef> others;
                std::size_t wanted = 0;
                for (const int number : block.layers[layer]) {
                    const HeadRef head{block.kind, static_cast<int>(layer), number};
                    if (chosen.isMasked(head))
                        ++wanted;
                    else
                        others.push_back(head);
                }
                shuffle(others, random);
                others.resize(std::min(others.size(), wanted));
                for (const HeadRef &head : others)
                    mask.set(head, true);
            }
        }
        drawn.push_back(std::move(mask));
    }
    return drawn;
}

} // namespace headscope
