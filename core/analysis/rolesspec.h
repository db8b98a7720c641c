#pragma once

#include "core/base/headref.h"
#include "core/base/keywindow.h"
#include "core/results/results.h"
#include "core/results/rolesresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// What can be asked of the roles of heads: plain values with the defaults that users see.
struct RolesSpec
{
    RunOptions run{};
    HeadMask mask{};
    AttentionMeasure measure = AttentionMeasure::Weights;
    SpecialTokens specialTokens
        = SpecialTokens::NoQueriesNoKeys; ///< of confidence; argmaxes are always among real tokens
    bool renormalize = false;             ///< of confidence: the remaining weights of a row sum to 1
    bool ownOutput = false;    ///< the decoder is forced to the model's own (greedy) output even if there are
                               ///< references
    std::string corpus{};      ///< text whose tokens are counted to know which are rare
    std::string frequencies{}; ///< or a file of words and counts
    std::string alignments{};  ///< one line a sentence pair: "0-0 1?2", source-target words, ? or p: possible ones
    std::int64_t evidence = 5; ///< sentences kept for and against
    std::optional<std::int64_t> sinks{}; ///< first keys; none: kUsualSinks
    std::optional<std::int64_t>
        window{};                ///< others nearer to the query than this are not distant; none: kUsualNeighbours
    double sieveThreshold = 1.5; ///< that roles with one score (RoleDetectorScore) are tested against
};

/// The keys that are first keys, and those that are not distant.
inline KeyWindow windowOf(const RolesSpec &spec)
{
    return {spec.sinks.value_or(kUsualSinks), spec.window.value_or(kUsualNeighbours)};
}

} // namespace headscope
