#pragma once

#include "core/base/interval.h"

#include <cstdint>
#include <span>

namespace headscope {

struct Correlation
{
    double value = 0;  ///< NaN when undefined (a constant vector, fewer than three heads)
    double p = 1;      ///< two-sided, Student's t with n − 2 degrees of freedom; NaN when undefined
    Interval interval; ///< 95 %: Pearson by Fisher's z, Spearman by bootstrap over heads; [−1, 1] when unknown
};

/// Precondition of both: vectors of equal length. Pairs with a NaN are left out.
Correlation pearsonCorrelation(std::span<const double> a, std::span<const double> b);
/// Pearson's correlation of the ranks; ties get their mean rank.
Correlation spearmanCorrelation(std::span<const double> a, std::span<const double> b,
                                std::int64_t resamples = 1000, std::uint64_t seed = 12345);

} // namespace headscope
