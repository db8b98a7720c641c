#pragma once

#include "core/base/interval.h"
#include "core/metrics/metric.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Which group each example belongs to: paradigms of minimal pairs, documents of a text.
struct ExampleGroups
{
    std::vector<std::string> names;   ///< in the order in which they first occur
    std::vector<std::size_t> members; ///< per example a place in `names`

    /// Groups by names, one an example. An empty name is a group like any other.
    static ExampleGroups of(std::span<const std::string> names);
};

/// The score of the examples of one group.
struct GroupScore
{
    std::string name;
    std::int64_t examples = 0;
    double score = 0;
    Interval interval; ///< 95 %, bootstrap over the group's examples

    bool operator==(const GroupScore &) const = default;
};

/// The score of every group by itself, in the order of groups.names; groups without rows are left out. `examples`:
/// which example each row of the table is of, as the engine visits them in an order of its own.
std::vector<GroupScore> scoresByGroup(const StatisticsTable &table, std::span<const std::int64_t> examples,
                                      const Metric &metric, const ExampleGroups &groups, std::int64_t resamples,
                                      std::uint64_t seed);

} // namespace headscope
