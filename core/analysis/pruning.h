#pragma once

#include "core/analysis/headunits.h"
#include "core/analysis/pruningspec.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/results/headorder.h"
#include "core/results/pruningresult.h"
#include "core/task/task.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// `kept`, everywhere: where sweeps go on from what was done before.
namespace headscope {

/// An order that is made on the way: before each of `counts` (ascending, from pruningSchedule), `valuesOf` tells for
/// the heads removed so far what the others are worth now, and those of least worth go (with `reverse` of most; ties as
/// in orderByValue), as long as `atLeastPerLayer` heads stay in their layer. `onStep` sees the order after every step.
PruningOrder stepwiseOrder(const std::vector<std::int64_t> &counts, std::int64_t atLeastPerLayer, bool reverse,
                           const HeadLayout &layout, const std::function<HeadValues(const HeadMask &removed)> &valuesOf,
                           const std::function<void(const PruningOrder &)> &onStep = {});

/// For greedy backward selection: how bad the score is without `removed` and the head, for every head of `kinds`
/// (empty = all) that is not removed yet. One sweep over the whole set, by the engine. `rescale`: heads that stay are
/// scaled (rescaledHeads()).
HeadValues scoresWithoutEach(const Task &task, const RunOptions &run, const HeadUnits &units,
                             const std::vector<HeadKind> &kinds, const HeadMask &removed, ResidentBlocks *resident,
                             const JobControl &control, const KeptWork &kept = {}, bool rescale = false);

/// The score under one mask as a point of a curve of `candidates` heads.
PruningPoint pruningPoint(const Task &task, const PruningSpec &spec, const HeadMask &mask, std::int64_t candidates,
                          ResidentBlocks *resident, const JobControl &control, const KeptWork &kept = {});

/// A curve that is not complete, with the number of examples that all its points rest on.
using PublishCurve = std::function<void(const PruningCurve &curve, std::int64_t examples)>;

/// The score along one removal order, or the band of several random ones (then lowest and highest are the interval).
PruningCurve pruningCurve(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                          const std::string &name, ResidentBlocks *resident, const JobControl &control,
                          const PublishCurve &publish, const KeptWork &kept = {});

} // namespace headscope
