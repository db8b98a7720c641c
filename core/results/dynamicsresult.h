#pragma once

#include "core/base/better.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/roles.h"
#include "core/results/similarityresult.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A head as it was at one checkpoint.
struct DynamicsHead
{
    HeadRef head;
    double importance = 0;
    std::optional<double> delta{};      ///< score without it − score of the full model
    std::optional<double> confidence{}; ///< mean over tokens of its largest weight
    std::vector<RoleLabel> roles{};     ///< what it does, where that was asked for
};

/// A point of a checkpoint's pruning curve.
struct DynamicsPoint
{
    std::int64_t pruned = 0;
    double fraction = 0; ///< of the candidates
    double score = 0;
    std::optional<double> relative{}; ///< score by that of the same checkpoint's full model; none where that is 0
};

struct DynamicsCheckpoint
{
    std::string name;        ///< of its folder
    std::int64_t number = 0; ///< of its epoch or update: the last number in the name
    std::string weightsHash;
    double score = 0;                 ///< of the full model
    std::vector<DynamicsHead> heads;  ///< ordered by head
    std::vector<DynamicsPoint> curve; ///< from 0 heads on, ascending; the order is that of this checkpoint's importance
    HeadMask closed{}; ///< by gates (alive_heads.json): all is measured without them, and there is no curve
    std::vector<LayerSpread> spreads{}; ///< how far the heads of each layer are apart, where that was asked for
};

/// Heads over training (Michel et al. 2019, section 6).
struct DynamicsResult
{
    static constexpr const char *kKind = "dynamics";
    Manifest manifest;
    std::string metric;                          ///< name of the score
    Better better = Better::Higher;              ///< which scores are
    std::string orderData{};                     ///< the data set that importance was estimated on
    std::vector<DynamicsCheckpoint> checkpoints; ///< by their numbers; a partial result may lack the last
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<DynamicsHead> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("importance", head.importance, "estimate");
    visit.rare("delta", head.delta, "score without it minus that of the full model");
    visit.rare("confidence", head.confidence, "mean of the largest attention weight");
    visit.rare("roles", head.roles, "what it does, the first label is the role");
}

void describe(auto &visit, Of<DynamicsPoint> auto &point)
{
    visit.field("pruned", point.pruned, "heads removed");
    visit.field("fraction", point.fraction, "of the candidates");
    visit.field("score", point.score, "without them");
    visit.rare("relative", point.relative, "score by that of the same checkpoint's full model; none where that is 0");
}

void describe(auto &visit, Of<DynamicsCheckpoint> auto &checkpoint)
{
    visit.field("name", checkpoint.name, "of its folder");
    visit.field("number", checkpoint.number, "of its epoch or update: the last number in the name");
    visit.field("weights_hash", checkpoint.weightsHash, "of its weights");
    visit.field("score", checkpoint.score, "of the full model");
    visit.field("heads", checkpoint.heads, "one each");
    visit.field("curve", checkpoint.curve, "from 0 heads on, in the order of this checkpoint's importance");
    visit.rare("closed", checkpoint.closed, HeadMask(),
               "heads that gates have closed (alive_heads.json): all is measured without them, and there is no curve");
    visit.rare("spreads", checkpoint.spreads, "how far the heads of each layer are apart");
}

void describe(auto &visit, Of<DynamicsResult> auto &result)
{
    visit.field("metric", result.metric, "name of the score");
    visit.added("better", result.better, "which of its scores are");
    visit.added("order_data", result.orderData, "the data set that importance was estimated on");
    visit.added("examples", result.examples, "used");
    visit.field("checkpoints", result.checkpoints, "by their numbers");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
