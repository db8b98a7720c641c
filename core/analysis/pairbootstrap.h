#pragma once

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
    PatchScore score(const std::vector<double> &values) const;
    /// That the mean is zero: two-sided, min(1, 2 (min(#{m* ≤ 0}, #{m* ≥ 0}) + 1) / (R + 1)).
    double p(const std::vector<double> &values) const;

private:
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
