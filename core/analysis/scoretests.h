#pragma once

#include "core/base/headref.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/multiplicity.h"
#include "core/results/results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// One convention for intervals and tests of scores under masks. Sweeps, single scores, pruning curves and searches
/// draw equally many resamples, by the same seed over examples in the same order: one difference has the same digits
/// wherever it is measured.
namespace headscope {

/// While results are partial, intervals need not be as fine as the last.
inline constexpr std::int64_t kPartialResamples = 200;

/// `asked` none: as many as a sweep over all heads needs. 0: no intervals and no tests.
inline std::int64_t scoreResamples(const std::optional<std::int64_t> &asked, const HeadLayout &layout, bool isFinal)
{
    const std::int64_t all = asked.value_or(resamplesForHolm(layout.size()));
    return isFinal ? all : std::min(all, kPartialResamples);
}

/// The comparison with the full model, `resamples` having been drawn over `examples`. Nothing where that allows
/// no inference.
inline std::optional<PairedTest> pairedTest(const PairedComparison &comparison, std::int64_t resamples,
                                            std::size_t examples)
{
    if (resamples <= 0 || examples < 2)
        return std::nullopt;
    return PairedTest{comparison.interval, comparison.p, comparison.changed};
}

/// The score of a variant, then its scores in the resamples, where any were drawn.
inline std::vector<double> scoreAndResamples(const PairedBootstrap &bootstrap, const Metric &metric,
                                             const StatisticsTable &variant)
{
    std::vector<double> scores{metric.scoreOf(variant)};
    if (!bootstrap.baselineScores().empty()) {
        const auto resampled = bootstrap.scores(variant);
        scores.insert(scores.end(), resampled.begin(), resampled.end());
    }
    return scores;
}

} // namespace headscope
