#include "core/sharing/headmaps.h"

#include "core/model/projections.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

namespace headscope {
namespace {

torch::Tensor exact(const torch::Tensor &tensor)
{
    return tensor.detach().to(torch::kCPU, torch::kFloat64);
}

} // namespace

HeadMaps headMaps(const AttentionSpec &attention, const AttentionWeights &weights)
{
    const auto query = exact(weights.query.weight);
    const auto key = exact(weights.key.weight);
    if (attention.sharesProjections()) {
        const auto mixing = exact(weights.mixing).unsqueeze(2);
        return {mixing * query.unsqueeze(0), key.unsqueeze(0).expand({attention.headCount(), -1, -1}).contiguous()};
    }
    const auto keys = key.view({-1, attention.headWidth, key.size(1)});
    return {query.view({-1, attention.headWidth, query.size(1)}),
            keys.index_select(0, indexTensor(attention.keyPlaces(), torch::kCPU))};
}

double squaredNorm(const HeadMaps &maps)
{
    const auto queries = torch::matmul(maps.query, maps.query.transpose(1, 2)); // [H, d, d]
    const auto keys = torch::matmul(maps.key, maps.key.transpose(1, 2));
    return (queries * keys).sum().item<double>();
}

} // namespace headscope
