#include "core/metrics/groups.h"

#include "core/metrics/bootstrap.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace headscope {

namespace {

StatisticsTable rowsOf(const StatisticsTable &table, const std::vector<std::size_t> &rows)
{
    StatisticsTable some(rows.size(), table.columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::ranges::copy(table.row(rows[i]), some.row(i).begin());
    return some;
}

} // namespace

ExampleGroups ExampleGroups::of(std::span<const std::string> names)
{
    ExampleGroups groups;
    std::map<std::string, std::size_t> places;
    for (const std::string &name : names) {
        const auto [place, isNew] = places.emplace(name, groups.names.size());
        if (isNew)
            groups.names.push_back(name);
        groups.members.push_back(place->second);
    }
    return groups;
}

std::vector<GroupScore> scoresByGroup(const StatisticsTable &table, std::span<const std::int64_t> examples,
                                      const Metric &metric, const ExampleGroups &groups, std::int64_t resamples,
                                      std::uint64_t seed)
{
    assert(examples.size() == table.rows);
    std::vector<std::vector<std::size_t>> rows(groups.names.size());
    for (std::size_t i = 0; i < table.rows; ++i)
        rows[groups.members[static_cast<std::size_t>(examples[i])]].push_back(i);
    std::vector<GroupScore> scores;
    for (std::size_t g = 0; g < rows.size(); ++g) {
        if (rows[g].empty())
            continue;
        const StatisticsTable ofGroup = rowsOf(table, rows[g]);
        scores.push_back({groups.names[g], static_cast<std::int64_t>(ofGroup.rows), metric.scoreOf(ofGroup),
                          bootstrapInterval(ofGroup, metric, resamples, seed)});
    }
    return scores;
}

} // namespace headscope
