#pragma once

#include "core/base/headref.h"
#include "core/base/result.h"
#include "core/results/ablationresult.h"
#include "core/results/gatingresult.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/shapleyresult.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Orders of removal of heads, for the analysis, the command line and the window.
namespace headscope {

/// Heads in the order in which they are to be removed.
using PruningOrder = std::vector<HeadRef>;

/// The values of heads at some point of pruning; a head without a value is not removed.
using HeadValues = std::map<HeadRef, double>;

/// Least important first; equal values in the order of HeadRef. `values` may lack heads: they are not removed.
PruningOrder orderByValue(const HeadValues &values);

/// Leaves out heads of other kinds than `kinds` (empty = all) and keeps each layer's last `atLeastPerLayer` heads.
PruningOrder restrictOrder(const PruningOrder &order, const std::vector<HeadKind> &kinds, std::int64_t atLeastPerLayer);

/// How many heads are removed at each point, from 0 to `candidates`: every `step` heads, or tenths of the candidates
/// when step is 0, rounded down (Michel et al.'s classifiers) or up (their translation models).
std::vector<std::int64_t> pruningSchedule(std::int64_t candidates, std::int64_t step,
                                          StepRounding rounding = StepRounding::Down);

/// The values of heads by single ablations: the loss (gain() below zero) without each, as a positive number.
HeadValues worthOf(const AblationResult &result);
/// By importance.
HeadValues worthOf(const ImportanceResult &result);

/// By what heads add to the score, for the better as a positive number.
HeadValues worthOf(const ShapleyResult &result);
/// By shares of their layer's relevance.
HeadValues worthOf(const RelevanceResult &result);
/// By how far they facilitate rather than interfere.
HeadValues worthOf(const GatingResult &result);

/// One head a line ("encoder.2.6"), empty lines and # comments ignored; or the JSON of `ablate`, `importance` or
/// `shapley`.
Result<PruningOrder> readPruningOrder(const std::string &file, const HeadLayout &layout);

/// `count` random orders of the heads, the same for the same seed.
std::vector<PruningOrder> randomOrders(const HeadLayout &layout, std::int64_t count, std::uint64_t seed);

} // namespace headscope
