#pragma once

#include "core/base/headref.h"
#include "core/results/results.h"
#include "core/task/runoptions.h"

#include <optional>
#include <string>
#include <vector>

/// What can be asked of each analysis: plain values with the defaults that users see.
namespace headscope {

struct AblationSpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads already masked throughout
    bool allButOne = false;
    Replacement replacement = Replacement::Zero;
    std::int64_t resamples = 1000;
    /// A head is left alone once its delta is known to ± this (half of the 95 % interval, in units of the metric).
    /// 0: every example is used for every head.
    double precision = 0;
};

struct ImportanceSpec
{
    RunOptions run{};
    HeadMask mask{};
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
};

struct PruningSpec
{
    RunOptions run{};
    std::string order = "importance"; ///< importance, ablation, random, or a file with one head a line
    std::int64_t step = 0;            ///< heads per step; 0 = 10 % of the candidates
    bool reestimate = false;          ///< importance again before every step
    std::vector<HeadKind> kinds{};      ///< candidates; empty = all
    std::int64_t atLeastPerLayer = 0; ///< heads never removed in a layer
    std::int64_t randomOrders = 10;   ///< for order random
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    std::int64_t resamples = 1000;
};

struct EvaluationSpec
{
    RunOptions run{};
    HeadMask mask{};
    std::optional<HeadMask> against{}; ///< compare with this mask, example by example
    bool outputs = false; ///< keep every example's output
    bool scores = false;  ///< and its score, which costs a full decoding
    std::int64_t resamples = 1000; ///< 0: no interval
};

} // namespace headscope
