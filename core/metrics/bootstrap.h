#pragma once

#include "core/base/interval.h"
#include "core/base/jobcontrol.h"
#include "core/metrics/inference.h"
#include "core/metrics/metric.h"
#include "core/metrics/resampling.h"
#include "core/metrics/weightedsums.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

/// Intervals and paired tests by resampling examples (Koehn 2004), over sufficient statistics.
namespace headscope {

/// 95 % interval of scores, as sacreBLEU takes it: the sorted list without its lowest and highest fortieth.
/// An empty list gives {0, 0}, one with a NaN {NaN, NaN}.
Interval percentileInterval(std::vector<double> scores);
/// The same of ascending numbers. Precondition: there are some.
Interval percentileOfAscending(std::span<const double> scores);

/// Two-sided p of R resampled differences from zero: min(1, 2 (min(#{d ≤ 0}, #{d ≥ 0}) + 1) / (R + 1)). A NaN counts on
/// both sides: it must never make a difference significant.
double resampledP(std::span<const double> differences);

/// How a variant differs from the baseline: of paired scores, the one place that decides what the examples say of it.
struct PairedComparison
{
    double score = 0; ///< of the variant
    double delta = 0; ///< score − baseline score
    Interval interval{std::numeric_limits<double>::quiet_NaN(),
                      std::numeric_limits<double>::quiet_NaN()}; ///< 95 %, of delta; inferred()
    double p = std::numeric_limits<double>::quiet_NaN();         ///< two-sided; inferred()
    std::int64_t examples = 0;                                   ///< compared
    std::int64_t changed = 0;                                    ///< of them, those whose statistics differ
    /// Δ* of the resamples, ascending; a single one where no example's statistics differ.
    std::vector<double> replicates{};

    /// The least that p could be with the examples that changed.
    double smallestP() const { return smallestSignP(changed); }
    /// False: so few examples allow neither "significant" nor "not", whatever they say.
    bool allowsVerdict() const { return headscope::allowsVerdict(examples); }
    /// True where the loss is smaller than `margin` (above 0, in units of the score) at 95 % confidence: non-inferior.
    /// False also means that it cannot be told.
    bool losesLessThan(double margin, Better better) const
    {
        return allowsVerdict() && gain(better, interval).low > -margin;
    }
};

/// Ascending values as the means of `shares` shares of them, as equal as can be: what is left of a distribution when
/// little room is. Fewer values stay as they are. The mean is kept where shares are equal.
std::vector<double> meansOfShares(std::span<const double> ascending, std::size_t shares);

/// Compares many variants with one baseline over the same examples. The resamples are drawn, and the baseline is
/// summed, once; a variant costs work only for the statistics in which it differs. Threads may share it.
class PairedBootstrap
{
public:
    /// Draws `resamples` times N · sampleRatio of N examples (rounded down, at least one) with the generator of
    /// core/base/random.h. compare-mt draws half of them, which makes its tests conservative. Borrows `metric`.
    PairedBootstrap(StatisticsTable baseline, const Metric &metric, std::int64_t resamples, std::uint64_t seed,
                    double sampleRatio = 1);

    const StatisticsTable &baseline() const { return m_baseline; }
    double baselineScore() const { return m_baselineScore; }
    Interval baselineInterval() const; ///< inferred()
    /// The 95 % interval of a variant's own score: inferred(). It says nothing of how it differs from the baseline.
    Interval scoreInterval(const StatisticsTable &variant) const;
    /// Scores of the baseline in every resample.
    const std::vector<double> &baselineScores() const { return m_baselineScores; }
    /// Scores of a variant in every resample; the same resamples as baselineScores().
    std::vector<double> scores(const StatisticsTable &variant) const;
    /// Precondition: `variant` has the baseline's shape.
    PairedComparison compare(const StatisticsTable &variant) const;
    /// Compares several variants at once, one product for all of them. Throws Cancelled.
    std::vector<PairedComparison> compareAll(std::span<const StatisticsTable *const> variants,
                                             const JobControl &control = {}) const;

private:
    using Tables = std::span<const StatisticsTable *const>;
    std::function<void(const Resampling::Block &)> scoringOfBaseline();
    std::vector<std::vector<double>> scoresOfAll(Tables variants, const JobControl &control) const;
    void addScores(std::span<const SparseStatistics> gains, const JobControl &control,
                   std::span<std::vector<double>> scores) const;
    PairedComparison withoutResamples(const StatisticsTable &variant) const;
    void addResamples(std::vector<double> scores, PairedComparison &comparison) const;
    void infer(PairedComparison &comparison) const;
    Interval intervalOfScore(double score, std::vector<double> resampled) const;

    StatisticsTable m_baseline;
    const Metric *m_metric;
    double m_baselineScore;
    std::vector<double> m_baselineSums; ///< [blocks, K, kWeightSets]; none where the metric is no function of sums
    std::vector<double> m_baselineScores;
    Resampling m_resampling; ///< the last: drawing it makes the sums and scores
};

/// 95 % interval of the score of one system: inferred(). NaN of no examples, of one, or without resamples.
Interval bootstrapInterval(const StatisticsTable &table, const Metric &metric, std::int64_t resamples,
                           std::uint64_t seed);

} // namespace headscope
