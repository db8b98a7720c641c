#pragma once

#include "core/base/better.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/metrics/correlation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Values of heads on two data sets, side by side.
namespace headscope {

struct HeadDifference
{
    HeadRef head;
    double a = 0;
    double b = 0;
    double difference = 0; ///< b − a

    /// A test of a difference of deltas: two bootstraps, one in each data set.
    struct Test
    {
        Interval interval;     ///< 95 %, of the difference
        double p = 1;          ///< two-sided
        double pAdjusted = 1;  ///< Holm over all heads that have a test
        double pDiscovery = 1; ///< Benjamini-Hochberg over the same heads
    };
    std::optional<Test> test{};
};

/// How many of one result's highest heads are among the highest of the other.
struct TopOverlap
{
    std::int64_t k = 0;
    std::int64_t shared = 0;
    double expected = 0; ///< by chance: k² / heads
};

/// A data set of a comparison. Only results of ablation have a score.
struct ComparedData
{
    std::string name;
    std::optional<double> baseline{}; ///< score of the full model: the star of Michel et al.'s Figure 2
};

struct CompareResult
{
    static constexpr const char *kKind = "compare";
    std::string measure; ///< "ablation delta", "importance", "confidence"
    std::vector<HeadDifference> heads;
    Correlation pearson;
    Correlation spearman;
    Correlation kendall{};
    std::vector<TopOverlap> overlaps{};         ///< of the heads that matter most
    std::optional<Interval> pearsonBootstrap{}; ///< 95 %, of r over resampled heads; none where r is not defined
    std::string metric{};                       ///< of ablation
    Better better = Better::Higher;             ///< which of its scores are; of other measures, higher ones
    ComparedData a{}, b{};
};

} // namespace headscope
