#include "core/results/rollout.h"

#include <algorithm>

namespace headscope {

std::vector<float> measuredWeights(const AttentionMap &map, AttentionMeasure measure)
{
    std::vector<float> weights = map.weights;
    if (measure == AttentionMeasure::Weights || map.valueNorms.empty())
        return weights;
    for (std::int64_t query = 0; query < map.queries; ++query) {
        float *row = weights.data() + query * map.keys;
        float sum = 0;
        for (std::int64_t key = 0; key < map.keys; ++key)
            sum += row[key] *= map.valueNorms[static_cast<std::size_t>(key)];
        for (std::int64_t key = 0; measure == AttentionMeasure::Norms && sum > 0 && key < map.keys; ++key)
            row[key] /= sum;
    }
    return weights;
}

std::vector<float> attentionRollout(const AttentionResult &result, HeadKind kind, AttentionMeasure measure, int layers)
{
    const auto first
        = std::ranges::find_if(result.maps, [&](const AttentionMap &map) { return map.head.kind == kind; });
    if (first == result.maps.end() || first->queries != first->keys)
        return {};
    const auto size = static_cast<std::size_t>(first->queries);
    const auto scaled = measure == AttentionMeasure::UnscaledNorms ? AttentionMeasure::Norms : measure;
    std::vector<double> rollout(size * size, 0);
    for (std::size_t i = 0; i < size; ++i)
        rollout[i * size + i] = 1;
    for (int layer = 0; layer < layers; ++layer) {
        std::vector<double> mean(size * size, 0);
        int heads = 0;
        for (const AttentionMap &map : result.maps) {
            if (map.head.kind != kind || map.head.layer != layer || map.masked)
                continue;
            const std::vector<float> weights = measuredWeights(map, scaled);
            for (std::size_t i = 0; i < weights.size(); ++i)
                mean[i] += weights[i];
            ++heads;
        }
        if (heads == 0)
            continue;
        std::vector<double> next(size * size, 0);
        for (std::size_t query = 0; query < size; ++query) {
            for (std::size_t middle = 0; middle < size; ++middle) {
                const double weight = 0.5 * mean[query * size + middle] / heads + (query == middle ? 0.5 : 0);
                for (std::size_t key = 0; key < size; ++key)
                    next[query * size + key] += weight * rollout[middle * size + key];
            }
        }
        rollout = std::move(next);
    }
    return {rollout.begin(), rollout.end()};
}

} // namespace headscope
