#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Correlation of samples in which value i is there counts[i] times (empty: once), as resampling makes them.
namespace headscope {

/// Positions of the values, ascending. Precondition: no NaN.
std::vector<std::size_t> ascendingOrder(std::span<const double> values);

/// Ranks from 1 on in the counted sample; ties get their mean rank. `order` is ascendingOrder(values), shared by all
/// samples of the same values.
std::vector<double> meanRanks(std::span<const double> values, std::span<const std::size_t> order,
                              std::span<const std::uint8_t> counts = {});

/// Pearson's r in two passes; NaN where it is not defined: a constant side, nothing at all, NaN or infinite values.
double correlate(std::span<const double> a, std::span<const double> b, std::span<const std::uint8_t> counts = {});

} // namespace headscope
