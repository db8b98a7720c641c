#include "core/sharing/energy.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace headscope {
namespace {

torch::Tensor valuesOf(const torch::Tensor &matrix)
{
    return torch::linalg_svdvals(matrix);
}

/// R of the orthogonal decomposition of aᵀ: a = Rᵀ Qᵀ. [min(n, D), n] of a [n, D].
torch::Tensor triangle(const torch::Tensor &a)
{
    return std::get<1>(torch::linalg_qr(a.t(), "r"));
}

/// Singular values of aᵀ b for a and b [n, D]: rotations aside, those of a product of triangles.
torch::Tensor valuesOfProduct(const torch::Tensor &a, const torch::Tensor &b)
{
    if (a.size(0) >= a.size(1))
        return valuesOf(torch::matmul(a.t(), b));
    return valuesOf(torch::matmul(triangle(a), triangle(b).t()));
}

/// Singular values of [aᵀ_0 b_0, aᵀ_1 b_1, …] for a and b [H, d, D]: those of the triangles of b_h times a_h, one under
/// the other.
torch::Tensor valuesOfUnfolding(const torch::Tensor &a, const torch::Tensor &b)
{
    std::vector<torch::Tensor> parts;
    for (std::int64_t h = 0; h < a.size(0); ++h)
        parts.push_back(torch::matmul(triangle(b[h]), a[h]));
    return valuesOf(torch::cat(parts));
}

/// Singular values of the rows vec(T_h): roots of the eigenvalues of their products ⟨T_h, T_g⟩.
torch::Tensor valuesOfHeads(const HeadMaps &maps)
{
    const auto products = [](const torch::Tensor &a) { // [H, H, d, d]
        return torch::einsum("hiq,gjq->hgij", {a, a});
    };
    const auto gram = (products(maps.query) * products(maps.key)).sum(torch::IntArrayRef{2, 3});
    return torch::linalg_eigvalsh(gram).clamp_min(0).sqrt().flip({0});
}

torch::Tensor withoutMeans(const torch::Tensor &maps)
{
    return maps - maps.mean(-1, true);
}

} // namespace

Spectrum spectrumOf(const torch::Tensor &singularValues)
{
    const auto values = singularValues.to(torch::kCPU, torch::kFloat64).square().contiguous();
    const double sum = values.sum().item<double>();
    Spectrum spectrum;
    double reached = 0;
    double entropy = 0;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        const double share = sum > 0 ? values.data_ptr<double>()[i] / sum : 0;
        reached += share;
        entropy -= share > 0 ? share * std::log(share) : 0;
        spectrum.energy.push_back(std::min(1.0, reached));
    }
    if (sum > 0) {
        spectrum.energy.back() = 1;
        spectrum.effectiveRank = std::exp(entropy);
        spectrum.stableRank = sum / values[0].item<double>();
    }
    return spectrum;
}

std::int64_t dimensionsFor(const Spectrum &spectrum, double share)
{
    if (spectrum.energy.empty() || spectrum.energy.back() == 0)
        return 0;
    return std::ranges::lower_bound(spectrum.energy, share) - spectrum.energy.begin() + 1;
}

ProjectionValues projectionValues(const HeadMaps &whole, bool centred)
{
    const HeadMaps maps = centred ? HeadMaps{withoutMeans(whole.query), withoutMeans(whole.key)} : whole;
    const auto queries = maps.query.flatten(0, 1);
    const auto keys = maps.key.flatten(0, 1);
    ProjectionValues values;
    values.query = valuesOf(queries);
    values.key = valuesOf(keys);
    values.product = valuesOfProduct(queries, keys);
    values.queryUnfolding = valuesOfUnfolding(maps.query, maps.key);
    values.keyUnfolding = valuesOfUnfolding(maps.key, maps.query);
    values.headUnfolding = valuesOfHeads(maps);
    for (std::int64_t h = 0; h < maps.heads(); ++h) {
        values.headQuery.push_back(valuesOf(maps.query[h]));
        values.headKey.push_back(valuesOf(maps.key[h]));
        values.headProduct.push_back(valuesOfProduct(maps.query[h], maps.key[h]));
    }
    return values;
}

HeadMaps randomMaps(std::int64_t heads, std::int64_t headWidth, std::int64_t width, std::uint64_t seed)
{
    const auto generator = at::detail::createCPUGenerator(seed);
    const auto draw = [&] { return torch::randn({heads, headWidth, width}, generator, torch::kFloat64); };
    HeadMaps maps;
    maps.query = draw();
    maps.key = draw();
    return maps;
}

} // namespace headscope
