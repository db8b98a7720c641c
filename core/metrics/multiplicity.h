#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

/// Corrections for testing many heads at once. Results are in the order of the input, 0…1, never below the raw
/// p-value. NaN stays NaN and does not count as a test.
namespace headscope {

/// Family-wise error (Holm 1979).
std::vector<double> holmAdjusted(std::span<const double> pValues);
/// The resamples of a bootstrap that let one of so many tests be significant at 5 % after holmAdjusted(), twice over:
/// the smallest p that R of them can give is 2 / (R + 1). Whole thousands, at least one.
std::int64_t resamplesForHolm(std::int64_t tests);
/// The places of p-values that are the least that so many resamples can say, 2 / (R + 1): no resample contradicts
/// these. Among many tests that may be too much for a clear one to be significant; with more resamples it is less.
std::vector<std::size_t> uncontradicted(std::span<const double> pValues, std::int64_t resamples);
/// False discovery rate (Benjamini and Hochberg 1995).
std::vector<double> benjaminiHochbergAdjusted(std::span<const double> pValues);

/// An entry that is given by itself, or by a pointer to it.
template<typename Entry>
auto &entryOf(Entry &entry)
{
    if constexpr (std::is_pointer_v<Entry>)
        return *entry;
    else
        return entry;
}

/// The `p` of every entry; of entries or of pointers to them, as below.
template<typename Entry>
std::vector<double> pValuesOf(const std::vector<Entry> &entries)
{
    std::vector<double> p;
    for (const Entry &entry : entries)
        p.push_back(entryOf(entry).p);
    return p;
}

/// Sets `discoveryP` of every entry by the `p` of all.
template<typename Entry>
void adjustDiscoveries(std::vector<Entry> &entries)
{
    const std::vector<double> adjusted = benjaminiHochbergAdjusted(pValuesOf(entries));
    for (std::size_t i = 0; i < entries.size(); ++i)
        entryOf(entries[i]).discoveryP = adjusted[i];
}

} // namespace headscope
