#pragma once

#include "core/results/collaborateresult.h"
#include "ui/charts/lineseries.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace headscope {

using SharingResults = std::vector<std::shared_ptr<const CollaborateResult>>;

/// The points of all results, one for each method, order, number of removed heads and width: of the newest result that
/// has it. The full model first; then widths from the smallest. They are the results' own, which keep them.
std::vector<const SharedPoint *> sharedPoints(const SharingResults &results);

/// Score over D̃_k with all heads, a line for each method, on both data sets where both were scored, beside the whole
/// model's (Cordonnier et al. 2020, Figure 2 and Table 2). The axis goes to `fullWidth`, which the full model has.
LineSeries makeSharingSeries(const SharingResults &results, std::int64_t fullWidth);

/// Score over parameters of everything that was scored, on the data set `dataName` or, `onOther`, on the other one that
/// results name: heads removed, projections shared, and both in either order, each point with its name; a line along
/// those that are on the Pareto front of all.
LineSeries makeFrontSeries(const SharingResults &results, bool onOther, const QString &dataName);

/// "12 heads removed, then 128 columns, shared by all heads"
QString sharedPointName(const SharedPoint &point);

} // namespace headscope
