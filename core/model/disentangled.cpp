#include "core/model/disentangled.h"

#include "core/model/transformer.h"
#include "core/tensor/halfkernels.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

torch::Tensor ofHeads(const torch::Tensor &projected, std::int64_t headWidth)
{
    return projected.view({projected.size(0), -1, headWidth}).transpose(0, 1);
}

/// Products with every distance [..., rows, 2n − 1], at the places [rows, others]: [..., rows, others].
torch::Tensor atPlaces(const torch::Tensor &products, const torch::Tensor &places)
{
    std::vector<std::int64_t> sizes = products.sizes().vec();
    sizes.back() = places.size(1);
    return products.gather(-1, places.expand(sizes));
}

} // namespace

torch::Tensor distanceRows(const Disentangled &disentangled, std::int64_t count)
{
    const auto distances = torch::arange(1 - count, count, torch::kInt64);
    const std::int64_t last = 2 * disentangled.span - 1;
    if (disentangled.furthest == 0)
        return (distances + disentangled.span).clamp(0, last);
    const std::int64_t middle = disentangled.span / 2;
    const auto apart = torch::where((distances < middle).logical_and(distances > -middle),
                                    torch::full({}, middle - 1, torch::kInt64), distances.abs());
    const auto share
        = torch::log(apart / middle)
        / torch::log(torch::full({}, static_cast<double>(disentangled.furthest - 1) / static_cast<double>(middle),
                                 torch::kFloat32));
    const auto spread = torch::ceil(share * (middle - 1)) + middle;
    const auto rows = torch::where(apart <= middle, distances.to(torch::kFloat32), spread * distances.sign());
    return (rows.to(torch::kInt64) + disentangled.span).clamp(0, last);
}

torch::Tensor distanceTable(const Disentangled &disentangled, const StackWeights &stack, const NormSpec &norm)
{
    return disentangled.normed ? normalize(stack.distances, stack.distanceNorm, norm) : stack.distances;
}

DistanceHeads DistanceHeads::selectRows(const torch::Tensor &rows) const
{
    const auto chosen
        = [&](const torch::Tensor &all) { return all.defined() ? all.index_select(1, rows) : torch::Tensor(); };
    return {chosen(keys), chosen(queries)};
}

DistanceHeads distanceHeads(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &table)
{
    const Disentangled &disentangled = *attention.disentangled;
    DistanceHeads heads;
    if (disentangled.keysOfDistances)
        heads.keys = ofHeads((disentangled.shared ? weights.key : weights.distanceKey)(table), attention.headWidth);
    if (disentangled.queriesOfDistances)
        heads.queries
            = ofHeads((disentangled.shared ? weights.query : weights.distanceQuery)(table), attention.headWidth);
    return heads;
}

torch::Tensor distanceScores(const AttentionSpec &attention, const DistanceHeads &distances,
                             const torch::Tensor &queries, const torch::Tensor &keys)
{
    const std::int64_t count = std::max(queries.size(-2), keys.size(-2));
    const auto options = torch::TensorOptions(torch::kInt64).device(queries.device());
    const auto places = torch::arange(queries.size(-2), options).unsqueeze(1) - torch::arange(keys.size(-2), options)
                      + (count - 1); // [T, S]
    torch::Tensor scores;
    if (distances.keys.defined())
        scores = atPlaces(matrixProduct(queries, distances.keys.transpose(-1, -2)), places);
    if (distances.queries.defined()) {
        const auto ofKeys
            = atPlaces(matrixProduct(keys, distances.queries.transpose(-1, -2)), places.t()).transpose(-1, -2)
            * attention.scale;
        scores = scores.defined() ? scores + ofKeys : ofKeys;
    }
    return scores;
}

} // namespace headscope
