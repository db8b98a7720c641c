#pragma once

#include "core/metrics/metric.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Sums of examples under many sets of weights at once, as resampling and randomisation need them: the product of
/// weights [sets, N] and statistics [N, K], a block of sets at a time.
namespace headscope {

/// Sets of weights that are taken together. A block of weights is [N, kWeightSets].
inline constexpr std::size_t kWeightSets = 64;
/// Examples whose weights are best taken together: they stay in the second-level cache.
inline constexpr std::size_t kWeightSlice = 512;

/// The statistics of a table, or what they gain over another's, without what is zero: a head changes few sentences, and
/// not all statistics of those.
class SparseStatistics
{
public:
    explicit SparseStatistics(const StatisticsTable &table);
    /// table − baseline, of the same shape.
    SparseStatistics(const StatisticsTable &table, const StatisticsTable &baseline);

    /// The examples that are not all zeros (or differ), ascending.
    std::span<const std::uint32_t> rows() const { return m_rows; }
    /// sums[k * kWeightSets + s] += Σ_i weights[i * kWeightSets + s] · statistics[first + i, k] for as many examples as
    /// there are weights of; in their order, rounded after every step: the same on every processor. Weights of other
    /// rows than rows() are not looked at.
    void addSums(std::span<const float> weights, std::size_t first, std::span<double> sums) const;
    std::size_t bytes() const;

private:
    /// Columns that are summed together: as many as registers hold sums of.
    struct Group
    {
        std::vector<std::size_t> columns; ///< at most kTogether
        std::vector<std::uint32_t> rows;
        std::vector<double> values; ///< [rows, kTogether]
    };

    void addRow(std::size_t row, std::span<const double> values);
    void makeGroups(std::size_t columns);

    std::vector<std::uint32_t> m_rows;
    std::vector<double> m_values; ///< [rows, K], until they are in groups
    std::vector<Group> m_groups;
};

} // namespace headscope
