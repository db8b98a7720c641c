#include "core/analysis/pairbootstrap.h"

#include "core/metrics/inference.h"
#include "core/metrics/weightedsums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {
namespace {
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
} // namespace

void PairBootstrap::Sums::add(double weight, double gain, double most)
{
    if (std::isnan(gain))
        return;
    count += weight;
    gained += weight * gain;
    possible += weight * most;
}

double PairBootstrap::Sums::mean() const
{
    return count > 0 ? gained / count : kUnknown;
}

double PairBootstrap::Sums::share() const
{
    return possible != 0 ? gained / possible : kUnknown;
}

PairBootstrap::PairBootstrap(std::size_t pairs, std::int64_t resamples, std::uint64_t seed)
    : m_pairs(pairs), m_resampling(pairs, pairs, static_cast<std::size_t>(pairs > 1 ? resamples : 0), seed,
                                   [](const Resampling::Block &) {})
{
}

PatchEffect PairBootstrap::effect(const std::vector<double> &gained, const std::vector<double> &possible) const
{
    PatchEffect result;
    Sums all;
    SampledNumber number{.differing = 0};
    for (std::size_t i = 0; i < m_pairs; ++i) {
        if (std::isnan(gained[i]))
            continue;
        all.add(1, gained[i], possible[i]);
        ++number.examples;
        *number.differing += gained[i] != 0 ? 1 : 0;
        number.scale = std::max({number.scale, std::abs(gained[i]), std::abs(possible[i])});
    }
    result.delta = number.value = all.mean();
    result.effect = all.share();
    const std::vector<Sums> resamples = resampled(gained, possible);
    std::vector<double> deltas, effects;
    for (const Sums &sums : resamples) {
        if (sums.count == 0) // none of the pairs that have such a cell
            continue;
        deltas.push_back(sums.mean());
        if (sums.possible * all.possible > 0)
            effects.push_back(sums.share());
    }
    std::ranges::sort(deltas);
    result.deltaInterval = inferred(number, deltas).interval;
    const std::size_t undefined = deltas.size() - effects.size();
    if (!deltas.empty())
        result.undefined = static_cast<double>(undefined) / static_cast<double>(deltas.size());
    result.interval = intervalOfShare(number, result.effect, undefined, std::move(effects));
    return result;
}

/// A resample whose share is not defined may be as low or as high as any.
Interval PairBootstrap::intervalOfShare(SampledNumber number, double share, std::size_t undefined,
                                        std::vector<double> shares)
{
    number.value = share;
    number.scale = 1;
    constexpr std::size_t kTail = 40;
    if (std::isnan(share) || shares.empty() || undefined * kTail > undefined + shares.size())
        return Inference().interval;
    std::ranges::sort(shares);
    const double low = shares.front();
    const double high = shares.back();
    shares.insert(shares.begin(), undefined, low);
    shares.insert(shares.end(), undefined, high);
    return inferred(number, shares).interval;
}

PairBootstrap::Change PairBootstrap::change(const std::vector<double> &values) const
{
    SampledNumber number = numberOf(values);
    number.differing = std::ranges::count_if(values, [](double value) { return value != 0; });
    return {number.value, inferred(number, meansOf(values))};
}

PatchScore PairBootstrap::score(const std::vector<double> &values) const
{
    const SampledNumber number = numberOf(values);
    return {number.value, inferred(number, meansOf(values)).interval};
}

PatchScore PairBootstrap::share(const std::vector<double> &values) const
{
    PatchScore share = score(values);
    const auto within = [](double end) { return std::clamp(end, 0.0, 1.0); }; // NaN stays
    share.interval = {within(share.interval.low), within(share.interval.high)};
    return share;
}

SampledNumber PairBootstrap::numberOf(const std::vector<double> &values) const
{
    SampledNumber number{.examples = static_cast<std::int64_t>(m_pairs)};
    Sums all;
    for (const double value : values) {
        all.add(1, value, value);
        number.scale = std::max(number.scale, std::abs(value));
    }
    number.value = all.mean();
    return number;
}

std::vector<double> PairBootstrap::meansOf(const std::vector<double> &values) const
{
    std::vector<double> means;
    for (const Sums &sums : resampled(values, values))
        means.push_back(sums.mean());
    std::ranges::sort(means);
    return means;
}

std::vector<PairBootstrap::Sums> PairBootstrap::resampled(const std::vector<double> &gained,
                                                          const std::vector<double> &possible) const
{
    std::vector<Sums> all;
    std::vector<std::uint8_t> scratch;
    for (std::size_t b = 0; b < m_resampling.blocks(); ++b) {
        const Resampling::Block block = m_resampling.block(b, scratch);
        std::vector<Sums> sums(block.resamples);
        for (std::size_t i = 0; i < m_pairs; ++i) {
            if (std::isnan(gained[i]))
                continue;
            for (std::size_t r = 0; r < block.resamples; ++r)
                sums[r].add(block.counts[i * kWeightSets + r], gained[i], possible[i]);
        }
        all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
}

} // namespace headscope
