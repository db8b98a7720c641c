#pragma once

#include "core/base/result.h"
#include "core/results/json.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Two results of the same measure head by head, b − a; heads that only one of them has are left out. Spearman's
/// interval, Kendall's, and the one of r over resampled heads are drawn with `seed`. Deltas of ablation are tested:
/// whether a head matters more in one data set than in the other, by the results' own bootstraps
/// (HeadAblation::replicates).
CompareResult compareResults(const AblationResult &a, const AblationResult &b, std::uint64_t seed = 12345);
CompareResult compareResults(const ImportanceResult &a, const ImportanceResult &b, std::uint64_t seed = 12345);
CompareResult compareResults(const ConfidenceResult &a, const ConfidenceResult &b, std::uint64_t seed = 12345);
CompareResult compareResults(const RelevanceResult &a, const RelevanceResult &b, std::uint64_t seed = 12345);

/// The heads, r and ρ of the same comparison and nothing that takes longer: what a window draws while results come in.
CompareResult compareBriefly(const AblationResult &a, const AblationResult &b, std::uint64_t seed = 12345);
CompareResult compareBriefly(const ImportanceResult &a, const ImportanceResult &b, std::uint64_t seed = 12345);
CompareResult compareBriefly(const ConfidenceResult &a, const ConfidenceResult &b, std::uint64_t seed = 12345);
CompareResult compareBriefly(const RelevanceResult &a, const RelevanceResult &b, std::uint64_t seed = 12345);

/// The tests of compareResults() by themselves: a head for each that both results have, without a test where one of
/// them keeps no replicates (it is still being computed, or from an older file).
std::vector<HeadDifference> testedDifferences(const AblationResult &a, const AblationResult &b);
/// 95 %, of b − a, of values whose own intervals are all that is known of them; the two data sets are independent.
Interval differenceInterval(double a, const Interval &ofA, double b, const Interval &ofB);

/// Compares results read from files after checking that analysis, settings and model agree.
Result<CompareResult> compareResults(const AnyResult &a, const AnyResult &b, std::uint64_t seed = 12345);

} // namespace headscope
