#include "core/sharing/cpfactors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {
namespace {

/// Singular triplets of aᵀ b for a and b [d, D]: left and right vectors as rows [n, D], values [n].
struct Triplets
{
    torch::Tensor left, values, right;
};

Triplets tripletsOf(const torch::Tensor &a, const torch::Tensor &b)
{
    const auto [leftBasis, leftTriangle] = torch::linalg_qr(a.t());
    const auto [rightBasis, rightTriangle] = torch::linalg_qr(b.t());
    const auto [u, values, vT] = torch::linalg_svd(torch::matmul(leftTriangle, rightTriangle.t()), false);
    return {torch::matmul(leftBasis, u).t(), values, torch::matmul(vT, rightBasis.t())};
}

/// Products of rows of a factor with each other, [R, R].
torch::Tensor gramOfRows(const torch::Tensor &factor)
{
    return torch::matmul(factor, factor.t());
}
torch::Tensor gramOfColumns(const torch::Tensor &mixing)
{
    return torch::matmul(mixing.t(), mixing);
}

/// Norms into the mixing matrix, columns in the order of theirs.
CpFactors normalized(const CpFactors &factors)
{
    const auto queryNorms = factors.query.norm(2, 1, true).clamp_min(1e-300);
    const auto keyNorms = factors.key.norm(2, 1, true).clamp_min(1e-300);
    const auto mixing = factors.mixing * (queryNorms * keyNorms).t();
    const auto order = mixing.norm(2, 0).argsort(0, true);
    return {(factors.query / queryNorms).index_select(0, order), mixing.index_select(1, order),
            (factors.key / keyNorms).index_select(0, order)};
}

class AlternatingLeastSquares
{
public:
    AlternatingLeastSquares(const HeadMaps &maps, const CpOptions &options, const JobControl &control)
        : m_query(maps.query.flatten(0, 1)), m_key(maps.key.flatten(0, 1)), m_heads(maps.heads()),
          m_squaredNorm(squaredNorm(maps)), m_options(options), m_control(control)
    {
    }

    CpDecomposition run(CpFactors factors) const
    {
        CpDecomposition best{factors, error(factors), 0, false};
        double before = best.error;
        for (std::int64_t i = 1; i <= m_options.iterations; ++i) {
            m_control.checkpoint();
            const double now = improve(factors);
            if (now < best.error)
                best = {factors, now, i, false};
            if (!(before - now >= m_options.tolerance))
                break;
            before = now;
        }
        return best;
    }

    double error(const CpFactors &factors) const
    {
        const auto queries = perHead(m_query, factors.query);
        const auto keys = perHead(m_key, factors.key);
        const double common = ((queries * keys).sum(1) * factors.mixing).sum().item<double>();
        return errorOf(common, factors);
    }

private:
    /// maps [H·d, D] times a factor's rows, [H, d, R].
    torch::Tensor perHead(const torch::Tensor &maps, const torch::Tensor &factor) const
    {
        return torch::matmul(maps, factor.t()).view({m_heads, -1, factor.size(0)});
    }

    double errorOf(double common, const CpFactors &factors) const
    {
        const double own = (gramOfColumns(factors.mixing) * gramOfRows(factors.query) * gramOfRows(factors.key))
                               .sum()
                               .item<double>();
        return m_squaredNorm > 0 ? std::sqrt(std::max(0.0, m_squaredNorm - 2 * common + own) / m_squaredNorm) : 0;
    }

    /// The factor [R, n] that is nearest given the others: normal equations, in which a ridge holds what they leave
    /// open near where it was, so that it moves no solution.
    torch::Tensor solved(const torch::Tensor &wanted, const torch::Tensor &gram, const torch::Tensor &before) const
    {
        const double ridge = m_options.ridge * gram.diagonal().mean().item<double>() + 1e-300;
        const auto normal = gram + ridge * torch::eye(gram.size(0), gram.options());
        return torch::linalg_solve(normal, wanted + ridge * before);
    }

    /// Every factor once → relative error.
    double improve(CpFactors &factors) const
    {
        const std::int64_t rank = factors.query.size(0);
        auto keys = perHead(m_key, factors.key);
        const auto mixed = [&](const torch::Tensor &products) {
            return (products * factors.mixing.unsqueeze(1)).view({-1, rank}).t(); // [R, H·d]
        };
        factors.query = solved(torch::matmul(mixed(keys), m_query),
                               gramOfColumns(factors.mixing) * gramOfRows(factors.key), factors.query);
        const auto queries = perHead(m_query, factors.query);
        factors.mixing = solved((queries * keys).sum(1).t(), gramOfRows(factors.query) * gramOfRows(factors.key),
                                factors.mixing.t())
                             .t()
                             .contiguous();
        const auto wanted = torch::matmul(mixed(queries), m_key);
        factors.key = solved(wanted, gramOfColumns(factors.mixing) * gramOfRows(factors.query), factors.key);
        return errorOf((wanted * factors.key).sum().item<double>(), factors);
    }

    torch::Tensor m_query, m_key; ///< [H·d, D]
    std::int64_t m_heads;
    double m_squaredNorm;
    const CpOptions &m_options;
    const JobControl &m_control;
};

CpFactors randomFactors(const HeadMaps &maps, const CpOptions &options, std::int64_t restart)
{
    const auto generator = at::detail::createCPUGenerator(options.seed + static_cast<std::uint64_t>(restart));
    const auto draw = [&](std::int64_t rows, std::int64_t columns) {
        return torch::randn({rows, columns}, generator, torch::kFloat64);
    };
    CpFactors factors;
    factors.query = draw(options.rank, maps.width());
    factors.mixing = draw(maps.heads(), options.rank);
    factors.key = draw(options.rank, maps.width());
    return factors;
}

} // namespace

double relativeError(const HeadMaps &maps, const CpFactors &factors)
{
    const CpOptions options;
    const JobControl control;
    return AlternatingLeastSquares(maps, options, control).error(factors);
}

CpFactors truncatedHeads(const HeadMaps &maps, std::int64_t rank)
{
    std::vector<torch::Tensor> left, values, right, heads;
    for (std::int64_t h = 0; h < maps.heads(); ++h) {
        Triplets triplets = tripletsOf(maps.query[h], maps.key[h]);
        heads.push_back(torch::full(triplets.values.sizes(), h, torch::kInt64));
        left.push_back(std::move(triplets.left));
        values.push_back(std::move(triplets.values));
        right.push_back(std::move(triplets.right));
    }
    const auto all = torch::cat(values);
    const auto chosen = all.argsort(0, true).narrow(0, 0, std::min(rank, all.numel()));
    const auto spread =
        [&](const std::vector<torch::Tensor> &parts) { // zeros where there are fewer triplets than asked for
            return torch::constant_pad_nd(torch::cat(parts).index_select(0, chosen), {0, 0, 0, rank - chosen.numel()});
        };
    CpFactors factors;
    factors.query = spread(left);
    factors.key = spread(right);
    factors.mixing = torch::zeros({maps.heads(), rank}, torch::kFloat64);
    const auto place = torch::arange(chosen.numel(), torch::kInt64);
    factors.mixing.index_put_({torch::cat(heads).index_select(0, chosen), place}, all.index_select(0, chosen));
    return factors;
}

CpDecomposition decompose(const HeadMaps &maps, const CpOptions &options, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const AlternatingLeastSquares squares(maps, options, control);
    CpDecomposition best = squares.run(truncatedHeads(maps, options.rank));
    for (std::int64_t restart = 0; restart < options.restarts; ++restart) {
        CpDecomposition other = squares.run(randomFactors(maps, options, restart));
        if (other.error < best.error) {
            best = std::move(other);
            best.fromRandom = true;
        }
    }
    best.factors = normalized(best.factors);
    return best;
}

} // namespace headscope
