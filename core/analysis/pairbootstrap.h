#pragma once

#include "core/base/interval.h"
#include "core/metrics/inference.h"
#include "core/metrics/resampling.h"
#include "core/results/patchresult.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

/// Means over pairs of texts, or over examples, and what resamples of them make of these. Threads may share it.
class PairBootstrap
{
public:
    PairBootstrap(std::size_t pairs, std::int64_t resamples, std::uint64_t seed);

    /// `gained` and `possible`: of every pair patched − base and donor − base; NaN where the pair has no such cell.
    PatchEffect effect(const std::vector<double> &gained, const std::vector<double> &possible) const;
    /// The estimate of a number that is no change. Precondition: no NaN.
    PatchScore score(const std::vector<double> &values) const;
    /// The same of values within 0…1, whose mean and its interval are too.
    PatchScore share(const std::vector<double> &values) const;
    struct Change
    {
        double mean = 0;
        Inference inference{};
    };
    /// The estimate of a change, which has a p. Precondition: no NaN.
    Change change(const std::vector<double> &values) const;

private:
    SampledNumber numberOf(const std::vector<double> &values) const;
    /// Ascending, one a resample.
    std::vector<double> meansOf(const std::vector<double> &values) const;
    static Interval intervalOfShare(SampledNumber number, double share, std::size_t undefined,
                                    std::vector<double> shares);
    struct Sums
    {
        double count = 0;
        double gained = 0;
        double possible = 0;

        void add(double weight, double gain, double most);
        double mean() const;
        double share() const;
    };
    std::vector<Sums> resampled(const std::vector<double> &gained, const std::vector<double> &possible) const;

    std::size_t m_pairs;
    Resampling m_resampling;
};

} // namespace headscope
