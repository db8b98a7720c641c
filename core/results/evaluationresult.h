#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/metrics/groups.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <cstdint>
#include <optional>
#include <vector>

/// The score of a model on a data set.
namespace headscope {

/// One mask against another over the same examples.
struct MaskComparison
{
    HeadMask mask;                 ///< the other mask
    double score = 0;              ///< its score
    double delta = 0;              ///< this − other; whether that is for the better, gain() says
    Interval interval;             ///< 95 %, paired bootstrap, of delta
    double p = 1;                  ///< two-sided, paired bootstrap
    std::optional<double> mcnemar; ///< p of the exact McNemar test; where examples are either right or wrong
    std::int64_t changed = 0;      ///< examples whose output, or what the metric measures of it, differs
};

struct EvaluationResult
{
    static constexpr const char *kKind = "evaluate";
    Manifest manifest;
    HeadMask mask;
    std::vector<MetricValue> metrics;   ///< the primary metric first
    std::vector<ExampleOutput> outputs; ///< ordered by index; empty unless asked for
    std::int64_t examples = 0;          ///< used so far; fewer than manifest.totalExamples in a partial result
    double seconds = 0;
    std::optional<MaskComparison> against; ///< over the same examples, if asked for
    /// Scores of groups by the primary metric, where examples belong to groups (paradigms of minimal pairs); else
    /// empty.
    std::vector<GroupScore> groups{};
    /// For generated outputs: the most tokens that one may have, start token included (0: nothing is generated), and
    /// how many outputs stopped there without having come to their end.
    std::int64_t longestOutput = 0;
    std::int64_t reachedLimit = 0;
    /// With outputs of a language model: rows of the texts in which nothing can be predicted.
    std::vector<std::int64_t> leftOut{};

    const MetricValue &primary() const { return metrics.front(); }
};

} // namespace headscope
