#include "core/data/windows.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace headscope {

std::vector<TokenWindow> cutIntoWindows(std::span<const std::int64_t> ids, const WindowCut &cut)
{
    const std::int64_t stride = cut.stride > 0 ? cut.stride : cut.length;
    assert(cut.length > 0 && stride <= cut.length && cut.unpredicted >= 0);
    const auto all = static_cast<std::int64_t>(ids.size());
    std::vector<TokenWindow> windows;
    std::int64_t seen = 0; // tokens that were in an earlier window
    for (std::int64_t begin = 0; seen < all; begin += stride) {
        const std::int64_t end = std::min(begin + cut.length, all);
        const auto piece = ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        TokenWindow window{{piece.begin(), piece.end()}, begin, std::max(seen - begin, cut.unpredicted)};
        seen = end;
        if (window.counted() > 0)
            windows.push_back(std::move(window));
    }
    return windows;
}

} // namespace headscope
