#pragma once

#include <span>
#include <vector>

/// Corrections for testing many heads at once. Results are in the order of the input, 0…1, never below the raw
/// p-value. NaN stays NaN and does not count as a test.
namespace headscope {

/// Family-wise error (Holm 1979).
std::vector<double> holmAdjusted(std::span<const double> pValues);
/// False discovery rate (Benjamini and Hochberg 1995).
std::vector<double> benjaminiHochbergAdjusted(std::span<const double> pValues);

} // namespace headscope
