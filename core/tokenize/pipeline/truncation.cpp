#include "core/tokenize/pipeline/truncation.h"

#include <algorithm>

namespace headscope::pipeline {

std::pair<std::size_t, std::size_t> truncatedLengths(std::size_t first, std::size_t second, std::size_t most)
{
    if (first <= most && second <= most - first)
        return {first, second};
    const bool isSwapped = first > second;
    std::size_t shorter = std::min(first, second);
    std::size_t longer = shorter > most ? shorter : std::max(shorter, most - shorter);
    if (longer > most - std::min(shorter, most)) {
        shorter = most / 2;
        longer = shorter + most % 2;
    }
    return isSwapped ? std::pair(longer, shorter) : std::pair(shorter, longer);
}

} // namespace headscope::pipeline
