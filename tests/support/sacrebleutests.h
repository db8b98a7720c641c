#pragma once

#include "core/metrics/bootstrap.h"

#include <cstdint>

/// sacreBLEU's own significance tests, with its random numbers: to compare with published numbers. The tests of
/// the analyses are those of bootstrap.h.
namespace headscope {

struct SacrebleuTest
{
    double score = 0; ///< of the system
    double p = 1;
    double mean = 0;      ///< of the resampled scores; 0 for approximate randomisation
    double halfWidth = 0; ///< half the width of their 95 % interval; 0 for approximate randomisation
};

/// `sacrebleu --paired-bs`. 0 < resamples; both tables have the same shape.
SacrebleuTest sacrebleuPairedBootstrap(const StatisticsTable &baseline, const StatisticsTable &system,
                                       const Metric &metric, std::int64_t resamples = 1000, std::uint64_t seed = 12345);
/// `sacrebleu --paired-ar`
SacrebleuTest sacrebleuApproximateRandomisation(const StatisticsTable &baseline, const StatisticsTable &system,
                                                const Metric &metric, std::int64_t trials = 10000,
                                                std::uint64_t seed = 12345);

} // namespace headscope
