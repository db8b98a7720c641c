#pragma once

#include "core/analysis/specs.h"
#include "core/engine/engine.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// Heads in the order in which they are to be removed.
using PruningOrder = std::vector<HeadRef>;

/// What heads are worth at some point of pruning; a head without a value is not removed.
using HeadValues = std::map<HeadRef, double>;

/// Least important first; equal values in the order of HeadRef. `values` may lack heads: they are not removed.
PruningOrder orderByValue(const HeadValues &values);

/// Leaves out heads of other kinds than `kinds` (empty = all) and keeps each layer's last `atLeastPerLayer` heads.
PruningOrder restrictOrder(const PruningOrder &order, const std::vector<HeadKind> &kinds,
                           std::int64_t atLeastPerLayer);

/// How many heads are removed at each point, from 0 to `candidates`: every `step` heads, or tenths of the candidates
/// when step is 0, rounded down (Michel et al.'s classifiers) or up (their translation models; METHODS 1.6).
std::vector<std::int64_t> pruningSchedule(std::int64_t candidates, std::int64_t step,
                                          StepRounding rounding = StepRounding::Down);

/// An order that is made on the way: before each of `counts` (ascending, from pruningSchedule), `valuesOf` tells for
/// the heads removed so far what the others are worth now, and those of least worth go (with `reverse` of most; ties as
/// in orderByValue), as long as `atLeastPerLayer` heads stay in their layer. `onStep` sees the order after every step.
PruningOrder stepwiseOrder(const std::vector<std::int64_t> &counts, std::int64_t atLeastPerLayer, bool reverse,
                           const HeadLayout &layout, const std::function<HeadValues(const HeadMask &removed)> &valuesOf,
                           const std::function<void(const PruningOrder &)> &onStep = {});

/// What heads are worth by single ablations: the loss (gain() below zero) without each, as a positive number.
HeadValues worthOf(const AblationResult &result);

/// For greedy backward selection: how bad the score is without `removed` and the head, for every head of `kinds`
/// (empty = all) that is not removed yet. One sweep over the whole set, by the engine.
HeadValues scoresWithoutEach(const Task &task, const RunOptions &run, const std::vector<HeadKind> &kinds,
                             const HeadMask &removed, ResidentBlocks *resident, const JobControl &control);

/// The score under one mask as a point of a curve of `candidates` heads.
PruningPoint pruningPoint(const Task &task, const PruningSpec &spec, const HeadMask &mask, std::int64_t candidates,
                          ResidentBlocks *resident, const JobControl &control);

/// One head a line ("encoder.2.6"), empty lines and # comments ignored; or the JSON of `ablate` or `importance`.
Result<PruningOrder> readPruningOrder(const std::string &file, const HeadLayout &layout);

/// `count` random orders of the heads, the same for the same seed.
std::vector<PruningOrder> randomOrders(const HeadLayout &layout, std::int64_t count, std::uint64_t seed);

/// The score along one removal order, or the band of several random ones (then lowest and highest are the interval).
PruningCurve pruningCurve(const Task &task, const PruningSpec &spec, const std::vector<PruningOrder> &orders,
                          const std::string &name, ResidentBlocks *resident, const JobControl &control,
                          const Publish<PruningCurve> &publish);

} // namespace headscope
