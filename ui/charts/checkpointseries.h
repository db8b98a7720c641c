#pragma once

#include "core/results/dynamicsresult.h"
#include "ui/charts/lineseries.h"

#include <QString>

#include <cstddef>
#include <vector>

/// Curves over the checkpoints of a training run.
namespace headscope {

/// Where a checkpoint stands on a logarithmic axis: log2 of its number, counted from the first that is above 0. What
/// has the number 0 stands one step before that one.
double checkpointPlace(const DynamicsResult &result, std::size_t checkpoint);
/// "epoch 12", "checkpoint 500": its name as it is read.
QString checkpointText(const DynamicsCheckpoint &checkpoint);

/// The score left over the checkpoints, a line for every share of heads removed (Michel et al.'s Figure 5, left).
LineSeries makeShareSeries(const DynamicsResult &result);
/// The score left over the share of heads removed, a line for each of these checkpoints (Figure 5, right).
LineSeries makeCheckpointSeries(const DynamicsResult &result, const std::vector<std::size_t> &checkpoints);
/// How far the heads of a layer are apart over the checkpoints, a line for every layer that was compared.
LineSeries makeSpreadSeries(const DynamicsResult &result);
/// As the paper shows four of them: the first two, one from the middle, the last; fewer where there are fewer.
std::vector<std::size_t> defaultCheckpoints(const DynamicsResult &result);

} // namespace headscope
