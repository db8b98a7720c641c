#pragma once

#include "core/analysis/specs.h"
#include "core/engine/engine.h"

namespace headscope {

/// Heads in the order in which they are to be removed.
using PruningOrder = std::vector<HeadRef>;

/// Least important first; equal values in the order of HeadRef. `values` may lack heads: they are not removed.
PruningOrder orderByValue(const std::map<HeadRef, double> &values);

/// Leaves out heads of other kinds than `kinds` (empty = all) and keeps each layer's last `atLeastPerLayer` heads.
PruningOrder restrictOrder(const PruningOrder &order, const std::vector<HeadKind> &kinds,
                           std::int64_t atLeastPerLayer);

/// How many heads are removed at each point, from 0 to `candidates`: every `step` heads, or tenths (rounded down) of
/// the candidates when step is 0 (METHODS 1.6).
std::vector<std::int64_t> pruningSchedule(std::int64_t candidates, std::int64_t step);

/// One head a line ("encoder.2.6"), empty lines and # comments ignored; or the JSON of `ablate` or `importance`.
Result<PruningOrder> readPruningOrder(const std::string &file, const HeadLayout &layout);

/// `count` random orders of the heads, the same for the same seed.
std::vector<PruningOrder> randomOrders(const HeadLayout &layout, std::int64_t count, std::uint64_t seed);

/// The score along one removal order, or the band of several random ones (then lowest and highest are the interval).
PruningCurve pruningCurve(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                          const std::string &name, ResidentBlocks *resident, const JobControl &control,
                          const Publish<PruningCurve> &publish);

} // namespace headscope
