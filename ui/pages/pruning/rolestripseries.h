#pragma once

#include "core/results/pruningresult.h"
#include "core/results/roles.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The roles of the remaining heads along a pruning curve (Voita et al. 2019, Figure 8).
struct RoleStripSeries
{
    struct Column
    {
        double removed = 0;             ///< heads
        std::vector<std::int64_t> left; ///< parallel to `roles`
        std::int64_t withoutRole = 0;   ///< other remaining heads
    };
    QString order;               ///< of the curve: "importance"
    std::vector<Role> roles;     ///< of the heads that could go, in the order of Role
    std::vector<Column> columns; ///< the curve's points, ascending
    std::int64_t most = 0;       ///< heads with a role before any is removed
    int candidates = 0;          ///< the right end of the x axis
    bool empty() const { return columns.empty() || roles.empty(); }
};

/// Counts each head by the role that the grid shows; only heads of the kinds that could go. Empty: a band of random
/// orders, which has no masks.
RoleStripSeries makeRoleStrip(const PruningCurve &curve, const std::vector<HeadRoles> &assigned, int candidates);
/// One line per point: heads removed, heads left of every role, and without one.
std::string roleStripCsv(const RoleStripSeries &series);

} // namespace headscope
