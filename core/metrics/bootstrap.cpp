#include "core/metrics/bootstrap.h"

#include "core/metrics/weightedsums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace headscope {

namespace {

// The memory for differences of variants that are compared together.
constexpr std::size_t kVariantBytes = std::size_t{256} << 20;

constexpr Interval kUnknown = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

bool isNan(double value)
{
    return std::isnan(value);
}

/// [statistics, columns, kWeightSets]: their sums in a block of resamples. All of them use a slice of the examples
/// while its weights are in the cache.
std::vector<double> sumsIn(const Resampling::Block &block, std::span<const SparseStatistics> statistics,
                           std::size_t columns, const JobControl &control)
{
    const std::size_t size = columns * kWeightSets;
    std::vector<double> sums(statistics.size() * size);
    std::vector<float> weights;
    for (std::size_t first = 0; first * kWeightSets < block.counts.size(); first += kWeightSlice) {
        control.checkpoint();
        const auto rest = block.counts.subspan(first * kWeightSets);
        const auto counts = rest.first(std::min(rest.size(), kWeightSlice * kWeightSets));
        weights.assign(counts.begin(), counts.end());
        for (std::size_t i = 0; i < statistics.size(); ++i)
            statistics[i].addSums(weights, first, std::span(sums).subspan(i * size, size));
    }
    return sums;
}

/// The scores of the first `count` sets of sums [K, kWeightSets].
void appendScores(const Metric &metric, std::span<const double> sums, std::size_t count, std::vector<double> &scores)
{
    std::vector<double> ofSet(sums.size() / kWeightSets);
    for (std::size_t s = 0; s < count; ++s) {
        for (std::size_t k = 0; k < ofSet.size(); ++k)
            ofSet[k] = sums[k * kWeightSets + s];
        scores.push_back(metric.score(ofSet));
    }
}

/// Resampled scores of metrics that are not a function of sums.
void appendScores(const Metric &metric, const StatisticsTable &table, const Resampling::Block &block,
                  std::vector<double> &scores)
{
    std::vector<std::uint8_t> bySet(block.resamples * table.rows);
    for (std::size_t i = 0; i < table.rows; ++i) {
        for (std::size_t s = 0; s < block.resamples; ++s)
            bySet[s * table.rows + i] = block.counts[i * kWeightSets + s];
    }
    const auto some = metric.scoresOf(table, bySet);
    scores.insert(scores.end(), some.begin(), some.end());
}

/// Ascending; a NaN has no place in an order, and stands last.
void sortNumbers(std::vector<double> &numbers)
{
    const auto unordered = std::ranges::partition(numbers, std::not_fn(isNan));
    std::sort(numbers.begin(), unordered.begin());
}

} // namespace

Interval percentileOfAscending(std::span<const double> scores)
{
    const std::size_t cut = scores.size() / 40;
    return {scores[cut], scores[scores.size() - cut - 1]};
}

Interval percentileInterval(std::vector<double> scores)
{
    if (scores.empty())
        return {};
    // A NaN has no place in an order.
    if (std::ranges::any_of(scores, isNan))
        return kUnknown;
    std::ranges::sort(scores);
    return percentileOfAscending(scores);
}

double resampledP(std::span<const double> differences)
{
    const auto notAbove = std::ranges::count_if(differences, [](double d) { return !(d > 0); });
    const auto notBelow = std::ranges::count_if(differences, [](double d) { return !(d < 0); });
    const auto fewer = static_cast<double>(std::min(notAbove, notBelow));
    return std::min(1.0, 2 * (fewer + 1) / (static_cast<double>(differences.size()) + 1));
}

PairedBootstrap::PairedBootstrap(StatisticsTable baseline, const Metric &metric, std::int64_t resamples,
                                 std::uint64_t seed, double sampleRatio)
    : m_baseline(std::move(baseline)), m_metric(&metric), m_baselineScore(metric.scoreOf(m_baseline)),
      m_resampling(
          m_baseline.rows,
          std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(m_baseline.rows) * sampleRatio)),
          m_baseline.rows > 0 ? static_cast<std::size_t>(std::max<std::int64_t>(0, resamples)) : 0, seed,
          scoringOfBaseline())
{
}

std::function<void(const Resampling::Block &)> PairedBootstrap::scoringOfBaseline()
{
    if (!m_metric->isFunctionOfSums())
        return [this](const Resampling::Block &block) { appendScores(*m_metric, m_baseline, block, m_baselineScores); };
    return [this, statistics = SparseStatistics(m_baseline)](const Resampling::Block &block) {
        const auto sums = sumsIn(block, {&statistics, 1}, m_baseline.columns, {});
        m_baselineSums.insert(m_baselineSums.end(), sums.begin(), sums.end());
        appendScores(*m_metric, sums, block.resamples, m_baselineScores);
    };
}

Interval PairedBootstrap::baselineInterval() const
{
    return intervalOfScore(m_baselineScore, m_baselineScores);
}

Interval PairedBootstrap::scoreInterval(const StatisticsTable &variant) const
{
    return intervalOfScore(m_metric->scoreOf(variant), scores(variant));
}

Interval PairedBootstrap::intervalOfScore(double score, std::vector<double> resampled) const
{
    sortNumbers(resampled);
    const SampledNumber number{.value = score,
                               .examples = static_cast<std::int64_t>(m_baseline.rows),
                               .possible = m_metric->possible(),
                               .scale = score};
    return inferred(number, resampled).interval;
}

std::vector<std::vector<double>> PairedBootstrap::scoresOfAll(Tables variants, const JobControl &control) const
{
    std::vector<std::vector<double>> scores(variants.size());
    if (!m_metric->isFunctionOfSums()) {
        std::vector<std::uint8_t> scratch;
        for (std::size_t block = 0; block < m_resampling.blocks(); ++block) {
            for (std::size_t v = 0; v < variants.size(); ++v) {
                control.checkpoint();
                appendScores(*m_metric, *variants[v], m_resampling.block(block, scratch), scores[v]);
            }
        }
        return scores;
    }
    for (std::size_t done = 0; done < variants.size();) {
        std::vector<SparseStatistics> gains;
        for (std::size_t bytes = 0; done + gains.size() < variants.size() && bytes < kVariantBytes;) {
            gains.emplace_back(*variants[done + gains.size()], m_baseline);
            bytes += gains.back().bytes();
        }
        addScores(gains, control, std::span(scores).subspan(done, gains.size()));
        done += gains.size();
    }
    return scores;
}

/// Adds the resampled scores of variants that are given by what they gain over the baseline.
void PairedBootstrap::addScores(std::span<const SparseStatistics> gains, const JobControl &control,
                                std::span<std::vector<double>> scores) const
{
    const std::size_t size = m_baseline.columns * kWeightSets;
    std::vector<std::uint8_t> scratch;
    for (std::size_t b = 0; b < m_resampling.blocks(); ++b) {
        const Resampling::Block block = m_resampling.block(b, scratch);
        auto sums = sumsIn(block, gains, m_baseline.columns, control);
        const auto baseline = std::span(m_baselineSums).subspan(b * size, size);
        for (std::size_t v = 0; v < gains.size(); ++v) {
            const auto ofVariant = std::span(sums).subspan(v * size, size);
            std::ranges::transform(baseline, ofVariant, ofVariant.begin(), std::plus<>());
            appendScores(*m_metric, ofVariant, block.resamples, scores[v]);
        }
    }
}

std::vector<double> PairedBootstrap::scores(const StatisticsTable &variant) const
{
    const StatisticsTable *const one = &variant;
    return std::move(scoresOfAll(std::span(&one, 1), {}).front());
}

PairedComparison PairedBootstrap::compare(const StatisticsTable &variant) const
{
    const StatisticsTable *const one = &variant;
    return std::move(compareAll(std::span(&one, 1)).front());
}

std::vector<PairedComparison> PairedBootstrap::compareAll(Tables variants, const JobControl &control) const
{
    std::vector<PairedComparison> comparisons;
    std::vector<const StatisticsTable *> resampled;
    std::vector<std::size_t> places;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        comparisons.push_back(withoutResamples(*variants[v]));
        if (comparisons.back().changed == 0 || m_baseline.rows == 1 || m_resampling.resamples() == 0)
            continue;
        resampled.push_back(variants[v]);
        places.push_back(v);
    }
    auto scores = scoresOfAll(resampled, control);
    for (std::size_t i = 0; i < places.size(); ++i)
        addResamples(std::move(scores[i]), comparisons[places[i]]);
    return comparisons;
}

PairedComparison PairedBootstrap::withoutResamples(const StatisticsTable &variant) const
{
    assert(variant.rows == m_baseline.rows && variant.columns == m_baseline.columns);
    PairedComparison result;
    result.score = m_metric->scoreOf(variant);
    result.delta = result.score - m_baselineScore;
    result.examples = static_cast<std::int64_t>(variant.rows);
    for (std::size_t i = 0; i < variant.rows; ++i)
        result.changed += std::ranges::equal(variant.row(i), m_baseline.row(i)) ? 0 : 1;
    if (m_resampling.resamples() == 0)
        return result;
    if (result.changed == 0 && m_baseline.rows > 1) // in every resample
        result.replicates = {result.delta};
    if (result.changed == 0 || m_baseline.rows == 1)
        infer(result);
    return result;
}

void PairedBootstrap::addResamples(std::vector<double> scores, PairedComparison &comparison) const
{
    std::vector<double> &deltas = comparison.replicates = std::move(scores);
    std::ranges::transform(deltas, m_baselineScores, deltas.begin(), std::minus<>());
    sortNumbers(deltas);
    infer(comparison);
}

void PairedBootstrap::infer(PairedComparison &comparison) const
{
    const Interval possible = m_metric->possible();
    const SampledNumber number{.value = comparison.delta,
                               .examples = comparison.examples,
                               .differing = comparison.changed,
                               .possible = {possible.low - m_baselineScore, possible.high - m_baselineScore},
                               .scale = m_baselineScore};
    const auto [interval, p] = inferred(number, comparison.replicates);
    comparison.interval = interval;
    comparison.p = p;
}

std::vector<double> meansOfShares(std::span<const double> ascending, std::size_t shares)
{
    if (ascending.size() <= shares)
        return {ascending.begin(), ascending.end()};
    std::vector<double> means;
    for (std::size_t s = 0; s < shares; ++s) {
        const std::size_t from = s * ascending.size() / shares;
        const std::size_t to = (s + 1) * ascending.size() / shares;
        const auto share = ascending.subspan(from, to - from);
        means.push_back(std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(share.size()));
    }
    return means;
}

Interval bootstrapInterval(const StatisticsTable &table, const Metric &metric, std::int64_t resamples,
                           std::uint64_t seed)
{
    return PairedBootstrap(table, metric, resamples, seed).baselineInterval();
}

} // namespace headscope
