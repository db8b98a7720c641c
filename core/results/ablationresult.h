#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Scores without each head (Michel et al. 2019, section 3).
namespace headscope {

struct HeadAblation
{
    HeadRef head;             ///< the head removed, or with allButOne the one kept in its layer; the first of a group
    double score = 0;         ///< metric without it
    double delta = 0;         ///< score − baseline; a loss (isWorse() by the baseline's metric) = the head is needed
    Interval interval;        ///< 95 %, paired bootstrap, of delta; NaN where one example is all there is
    double p = 1;             ///< two-sided, paired bootstrap
    double pAdjusted = 1;     ///< Holm over all heads of the result
    std::int64_t changed = 0; ///< examples whose output changed
    std::optional<double> mcnemar; ///< p of the exact McNemar test; where examples are either right or wrong
    std::int64_t examples = 0;     ///< that the estimate rests on
    // Further tests; nothing in older files, in partial results and where a test does not apply.
    std::optional<double> discoveryP{};    ///< Benjamini-Hochberg over all heads of the result, of p
    std::optional<double> randomization{}; ///< two-sided p of approximate randomisation
    std::optional<double> tTest{};         ///< p of a paired t-test; where examples are either right or wrong
    /// The bootstrap's deltas as the means of equal shares of them, ascending: what another data set is compared by.
    /// Empty: no resamples, or no delta differs from the others.
    std::vector<double> replicates{};
    std::vector<HeadRef> together{}; ///< the other heads of its group, where groups were removed
    // Optimal: mean loss per target token, in nats, on the examples that its constant was fitted to.
    std::optional<double> fitMeanLoss{}; ///< with the mean of its contexts in its place, where the search began
    std::optional<double> fitLoss{};     ///< with the constant
};

struct AblationResult
{
    static constexpr const char *kKind = "ablate";
    Manifest manifest;
    MetricValue baseline;
    bool allButOne = false;
    Replacement replacement = Replacement::Zero;
    std::vector<HeadAblation> heads; ///< ordered by head; a partial result may lack some
    std::int64_t examples = 0;
    std::int64_t resamples = 0; ///< of the bootstrap, and exchanges of approximate randomisation
    PrecisionCheck products{};
    double sampleRatio = 1;      ///< size of a resample by the size of the data set
    std::string referenceData{}; ///< mean, resample and optimal: the data set that contexts were taken from
    std::int64_t draws = 1;      ///< resample: how many random examples replaced each, in turn
    bool rescaled = false;       ///< the heads that stayed in a layer were scaled by its heads over them
    // Optimal: how constants were found.
    std::int64_t fitExamples = 0; ///< examples of referenceData that they were fitted to
    std::int64_t fitSteps = 0;    ///< of the descent, at most
    bool fitOnOwn = false;        ///< on the evaluated set itself, which makes heads look less needed than they are
    // Window: the keys that heads still saw. Cross-attention has no neighbours, and its heads are left out.
    std::int64_t sinks = 0;  ///< from the beginning
    std::int64_t window = 0; ///< nearer to the query than this; 0: no windows
};

} // namespace headscope
