#pragma once

#include "core/base/headref.h"
#include "core/results/relevanceresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <optional>

namespace headscope {

/// What can be asked of relevance: plain values with the defaults that users see.
struct RelevanceSpec
{
    RunOptions run{};
    HeadMask mask{};
    RelevanceRule rule = RelevanceRule::AlphaBeta;
    bool absolute = false; ///< shares of Σ|R|; always so for rules other than alpha-beta unless `signedShares`
    bool signedShares = false;
    bool ownOutput = false;         ///< the prefix is the model's own (greedy) output even where there are references
    bool attentionConstant = false; ///< alpha-beta: no relevance flows through queries and keys
    bool sentences = false;         ///< keep every example's relevances and contributions
    std::optional<std::int64_t> example{}; ///< this row of the data set alone, with the contributions of its tokens
};

} // namespace headscope
