#pragma once

#include "core/results/roles.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Shares of one head as bars: where its largest weights lie, how often it finds the partners of a relation.
struct ShareSeries
{
    struct Bar
    {
        QString label;
        double share = 0;               ///< 0 … 1
        std::optional<double> expected; ///< without any preference: a mark across the bar
        std::int64_t hits = 0;
        std::int64_t instances = 0;
        bool strong = false; ///< what makes the head's role
        bool enough = true;  ///< enough instances for a label
        std::string what;    ///< what files call it, in any language
    };
    QString title;
    QString expectedName; ///< what the marks are: "by chance", "best fixed offset"
    std::vector<Bar> bars;
    bool upright = true; ///< bars stand; else they lie, one below the other
    bool empty() const { return bars.empty(); }
};

/// Of every query's largest weight: offsets −7 … 7 with the expected shares, and farther ones.
ShareSeries makeOffsetShares(const HeadRoleScores &head, const RoleThresholds &thresholds);
/// Of every relation in both directions, those with the highest margins over the best fixed offset first; at most
/// `most`. Empty: no trees, or a head for which relations make no sense.
ShareSeries makeRelationShares(const RolesResult &result, const HeadRoleScores &head, const RoleThresholds &thresholds,
                               std::size_t most = 12);

/// "−1: 94 % of 12,345, by chance 8 %"
QString shareBarText(const ShareSeries &series, const ShareSeries::Bar &bar);
std::string shareCsv(const ShareSeries &series);

} // namespace headscope
