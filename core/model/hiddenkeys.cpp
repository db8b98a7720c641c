#include "core/model/hiddenkeys.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <vector>

namespace headscope {

torch::Tensor hiddenByWindows(std::span<const KeyWindow> windows, std::int64_t heads, const torch::Tensor &positions,
                              std::int64_t keys)
{
    std::vector<std::int64_t> sinks, neighbours;
    for (const KeyWindow &window : windows) {
        sinks.push_back(window.sinks);
        neighbours.push_back(window.neighbours);
    }
    const auto ofHeads = [&](const std::vector<std::int64_t> &values) { // [N, H, 1, 1]
        return indexTensor(values, positions.device()).view({-1, heads, 1, 1});
    };
    const auto columns = torch::arange(keys, positions.options());
    const auto distances = (columns - positions.unsqueeze(-1)).abs().unsqueeze(1); // [N or 1, 1, T, S]
    return (columns >= ofHeads(sinks)).logical_and(distances >= ofHeads(neighbours));
}

} // namespace headscope
