#pragma once

#include "core/base/headscales.h"
#include "core/results/importanceresult.h"
#include "core/results/results.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A mask that was found, and what the model scores under it.
struct FoundMask
{
    HeadMask mask;
    HeadScales scales{};  ///< factors of the heads that stay; only after rescaling
    double objective = 0; ///< Σ over layers of ‖Σ of the removed heads' gradients‖², per mini-batch
    double score = 0;
    double delta = 0;  ///< score − full model
    Interval interval; ///< 95 %, bootstrap, of the score
    /// Against the full model. None without resamples, of one example, and in older files.
    std::optional<PairedTest> paired{};
};

/// One budget of a mask search: the same number of heads removed in three ways, each on top of the one before.
struct SearchPoint
{
    std::int64_t pruned = 0;
    double fraction = 0;      ///< of the candidates
    double attentionMacs = 1; ///< multiply-adds of attention that are left, as a share of the full model's
    FoundMask searched;       ///< removes the heads with the least Fisher information
    FoundMask rearranged;     ///< removes as many per layer, but those that matter least together
    FoundMask rescaled;       ///< scales the remaining heads as well so that each layer gives what it did
    int rescaledLayers = 0;   ///< attention layers that have factors; a factor beyond 10 ends rescaling (Kwon et al.)
    int attentionLayers = 0;  ///< that could have some
};

/// Kwon et al. (2022), for heads.
struct SearchResult
{
    static constexpr const char *kKind = "search";
    Manifest manifest;
    MetricValue baseline;
    std::vector<HeadKind> kinds; ///< what could be removed; empty = heads of all kinds
    std::int64_t candidates = 0;
    std::string searchData; ///< name of the set that gradients and factors come from
    bool searchedOnEvaluated = false;
    std::int64_t samples = 0;           ///< examples of it that were used
    std::int64_t miniBatch = 0;         ///< examples per gradient
    std::vector<HeadImportance> fisher; ///< mean over mini-batches of (∂L/∂ξ)², L the mini-batch's mean loss
    std::vector<SearchPoint> points;    ///< from 0 heads on, ascending
    std::int64_t examples = 0;
};

} // namespace headscope
