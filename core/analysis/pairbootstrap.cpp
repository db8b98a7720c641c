#include "core/analysis/pairbootstrap.h"

#include "core/metrics/bootstrap.h"

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
    for (std::size_t i = 0; i < m_pairs; ++i)
        all.add(1, gained[i], possible[i]);
    result.delta = all.mean();
    result.effect = all.share();
    std::vector<double> deltas, effects;
    bool isStable = !std::isnan(result.effect);
    for (const Sums &sums : resampled(gained, possible)) {
        if (sums.count == 0)
            continue;
        deltas.push_back(sums.mean());
        effects.push_back(sums.share());
        isStable = isStable && sums.possible * all.possible > 0;
    }
    result.deltaInterval = resampledInterval(std::move(deltas));
    result.interval = resampledInterval(isStable ? std::move(effects) : std::vector<double>());
    return result;
}

PatchScore PairBootstrap::score(const std::vector<double> &values) const
{
    const PatchEffect mean = effect(values, values);
    return {mean.delta, mean.deltaInterval};
}

double PairBootstrap::p(const std::vector<double> &values) const
{
    std::vector<double> gained;
    for (const Sums &sums : resampled(values, values))
        gained.push_back(sums.gained);
    return resampledP(gained);
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
