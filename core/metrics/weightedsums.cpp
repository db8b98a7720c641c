#include "core/metrics/weightedsums.h"

#include "core/base/vectorunits.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <functional>

namespace headscope {
namespace {

constexpr std::size_t kTogether = 5; // columns: two vectors of sums each leave registers for the weights

/// As many doubles as the widest vectors have; narrower processors take several steps for one.
using Vector = double __attribute__((vector_size(64)));
using Weights = float __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 8;
constexpr std::size_t kVectors = 2;
static_assert(kWeightSets % (kVectors * kLanes) == 0);

/// sums [kTogether, kWeightSets] += weightsᵀ · values, `values` [count, kTogether] of `rows`, `weights` from row
/// `first` on
HEADSCOPE_VECTOR
void sumGroup(const float *weights, std::size_t first, const std::uint32_t *rows, std::size_t count,
              const double *values, double *sums)
{
    for (std::size_t set = 0; set < kWeightSets; set += kVectors * kLanes) {
        Vector sum[kTogether][kVectors];
        for (std::size_t k = 0; k < kTogether; ++k)
            std::memcpy(sum[k], sums + k * kWeightSets + set, sizeof(sum[k]));
        for (std::size_t i = 0; i < count; ++i) {
            const float *from = weights + (rows[i] - first) * kWeightSets + set;
            Vector weight[kVectors];
#pragma GCC unroll 2
            for (std::size_t v = 0; v < kVectors; ++v) {
                Weights narrow;
                std::memcpy(&narrow, from + v * kLanes, sizeof(narrow));
                weight[v] = __builtin_convertvector(narrow, Vector);
            }
#pragma GCC unroll 5
            for (std::size_t k = 0; k < kTogether; ++k) {
                const double value = values[i * kTogether + k];
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kVectors; ++v)
                    sum[k][v] += weight[v] * value;
            }
        }
        for (std::size_t k = 0; k < kTogether; ++k)
            std::memcpy(sums + k * kWeightSets + set, sum[k], sizeof(sum[k]));
    }
}

bool isZero(double value)
{
    return value == 0;
}

} // namespace

SparseStatistics::SparseStatistics(const StatisticsTable &table)
{
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto row = table.row(i);
        if (!std::ranges::all_of(row, isZero))
            addRow(i, row);
    }
    makeGroups(table.columns);
}

SparseStatistics::SparseStatistics(const StatisticsTable &table, const StatisticsTable &baseline)
{
    assert(table.rows == baseline.rows && table.columns == baseline.columns);
    std::vector<double> gains(table.columns);
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto row = table.row(i);
        const auto base = baseline.row(i);
        if (std::ranges::equal(row, base))
            continue;
        std::ranges::transform(row, base, gains.begin(), std::minus<>());
        addRow(i, gains);
    }
    makeGroups(table.columns);
}

void SparseStatistics::addRow(std::size_t row, std::span<const double> values)
{
    m_rows.push_back(static_cast<std::uint32_t>(row));
    m_values.insert(m_values.end(), values.begin(), values.end());
}

void SparseStatistics::makeGroups(std::size_t columns)
{
    const auto at = [&](std::size_t place, std::size_t column) { return m_values[place * columns + column]; };
    const auto places = m_rows.size();
    for (std::size_t k = 0; k < columns; ++k) {
        std::size_t place = 0;
        while (place < places && isZero(at(place, k)))
            ++place;
        if (place == places)
            continue;
        if (m_groups.empty() || m_groups.back().columns.size() == kTogether)
            m_groups.emplace_back();
        m_groups.back().columns.push_back(k);
    }
    for (Group &group : m_groups) {
        std::array<double, kTogether> values{};
        for (std::size_t place = 0; place < places; ++place) {
            for (std::size_t c = 0; c < group.columns.size(); ++c)
                values[c] = at(place, group.columns[c]);
            if (std::ranges::all_of(values, isZero))
                continue;
            group.rows.push_back(m_rows[place]);
            group.values.insert(group.values.end(), values.begin(), values.end());
        }
    }
    m_values = {};
}

void SparseStatistics::addSums(std::span<const float> weights, std::size_t first, std::span<double> sums) const
{
    const std::size_t end = first + weights.size() / kWeightSets;
    alignas(64) std::array<double, kTogether * kWeightSets> ofGroup{};
    for (const Group &group : m_groups) {
        const auto from = std::ranges::lower_bound(group.rows, first);
        const auto count = std::ranges::lower_bound(from, group.rows.end(), end) - from;
        if (count == 0)
            continue;
        for (std::size_t c = 0; c < group.columns.size(); ++c)
            std::copy_n(sums.data() + group.columns[c] * kWeightSets, kWeightSets, ofGroup.data() + c * kWeightSets);
        const auto place = static_cast<std::size_t>(from - group.rows.begin());
        sumGroup(weights.data(), first, group.rows.data() + place, static_cast<std::size_t>(count),
                 group.values.data() + place * kTogether, ofGroup.data());
        for (std::size_t c = 0; c < group.columns.size(); ++c)
            std::copy_n(ofGroup.data() + c * kWeightSets, kWeightSets, sums.data() + group.columns[c] * kWeightSets);
    }
}

std::size_t SparseStatistics::bytes() const
{
    std::size_t bytes = m_rows.size() * sizeof(std::uint32_t);
    for (const Group &group : m_groups)
        bytes += group.rows.size() * (sizeof(std::uint32_t) + kTogether * sizeof(double));
    return bytes;
}

} // namespace headscope
