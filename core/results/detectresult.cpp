#include "core/results/detectresult.h"

#include "core/base/result.h"

#include <algorithm>
#include <iterator>

namespace headscope {

const DetectorScore *scoreOf(const HeadDetection &head, HeadDetector detector)
{
    const auto found = std::ranges::find(head.detectors, detector, &DetectorScore::detector);
    return found == head.detectors.end() ? nullptr : &*found;
}

void checkDetections(const DetectResult &result)
{
    const std::int64_t size = std::ssize(result.ids);
    bool fits = result.first >= 0 && result.length >= 0 && result.first <= size && result.length <= size
             && result.first + 2 * result.length <= size
             && (result.tokens.empty() || std::ssize(result.tokens) == size);
    for (const HeadDetection &head : result.heads) {
        fits = fits && head.keys.size() == head.weights.size()
            && (head.keys.empty() || std::ssize(head.keys) == result.length)
            && std::ranges::all_of(head.keys, [size](std::int64_t key) { return key >= 0 && key < size; });
    }
    if (!fits)
        throw Failure(badInput("The detected heads do not fit to the sequence that they were found on."));
}

} // namespace headscope
