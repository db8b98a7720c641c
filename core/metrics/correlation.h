#pragma once

#include "core/base/interval.h"

#include <cstdint>
#include <optional>
#include <span>

namespace headscope {

struct Correlation
{
    double value = 0; ///< NaN when undefined (a constant vector, fewer than three heads)
    /// Two-sided; Student's t with n − 2 degrees of freedom, of Kendall the normal approximation; NaN when undefined.
    double p = 1;
    /// 95 %: Pearson by Fisher's z, Spearman and Kendall by bootstrap over heads; [−1, 1] of three heads, which
    /// allow no inference; NaN when `value` is.
    Interval interval;
};

/// Precondition of all: vectors of equal length. Pairs with a NaN are left out.
Correlation pearsonCorrelation(std::span<const double> a, std::span<const double> b);
/// Pearson's correlation of the ranks; ties get their mean rank.
Correlation spearmanCorrelation(std::span<const double> a, std::span<const double> b, std::int64_t resamples = 1000,
                                std::uint64_t seed = 12345);
/// Kendall's τ_b, p with the variance that ties leave (as scipy.stats.kendalltau, method "asymptotic").
Correlation kendallCorrelation(std::span<const double> a, std::span<const double> b, std::int64_t resamples = 1000,
                               std::uint64_t seed = 12345);
/// 95 % interval of Pearson's r by bootstrap over heads; nothing where r is not defined or there are only three.
std::optional<Interval> pearsonBootstrapInterval(std::span<const double> a, std::span<const double> b,
                                                 std::int64_t resamples = 1000, std::uint64_t seed = 12345);

} // namespace headscope
