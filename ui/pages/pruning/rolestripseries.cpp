#include "ui/pages/pruning/rolestripseries.h"

#include "ui/exporting/csvtext.h"

#include <algorithm>

namespace headscope {

RoleStripSeries makeRoleStrip(const PruningCurve &curve, const std::vector<HeadRoles> &assigned, int candidates)
{
    RoleStripSeries series;
    if (curve.randomOrders > 0)
        return series;
    series.order = QString::fromStdString(curve.order);
    series.candidates = candidates;
    const auto couldGo = [&](const HeadRoles &head) {
        return curve.kinds.empty() || std::ranges::find(curve.kinds, head.head.kind) != curve.kinds.end();
    };
    for (const Role role : kAllRoles) {
        const auto heads = std::ranges::count_if(assigned, [&](const HeadRoles &head) {
            return couldGo(head) && head.first() && head.first()->role == role;
        });
        if (heads == 0)
            continue;
        series.roles.push_back(role);
        series.most += heads;
    }
    for (const PruningPoint &point : curve.points) {
        if (point.pruned > 0 && point.mask.empty())
            continue; // from a file that does not keep masks
        RoleStripSeries::Column column;
        column.removed = static_cast<double>(point.pruned);
        column.left.assign(series.roles.size(), 0);
        for (const HeadRoles &head : assigned) {
            if (!couldGo(head) || point.mask.isMasked(head.head))
                continue;
            const RoleLabel *label = head.first();
            const auto place = label ? std::ranges::find(series.roles, label->role) : series.roles.end();
            if (place == series.roles.end())
                ++column.withoutRole;
            else
                ++column.left[static_cast<std::size_t>(place - series.roles.begin())];
        }
        series.columns.push_back(std::move(column));
    }
    return series;
}

std::string roleStripCsv(const RoleStripSeries &series)
{
    CsvText csv;
    csv << "pruned";
    for (const Role role : series.roles) {
        std::string name(roleName(role));
        std::ranges::replace(name, ' ', '_');
        csv << name;
    }
    csv << "no_role";
    csv.endLine();
    for (const RoleStripSeries::Column &column : series.columns) {
        csv << column.removed;
        for (const std::int64_t left : column.left)
            csv << left;
        csv << column.withoutRole;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
