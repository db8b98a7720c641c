#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What heads do on random tokens that are repeated: r1 … rn r1 … rn.
namespace headscope {

enum class HeadDetector {
    Induction,      ///< attends to the token behind the earlier occurrence of its own (Olsson et al. 2022)
    PreviousToken,  ///< attends to the token before
    DuplicateToken, ///< attends to the earlier occurrence of its own token (Wang et al. 2023)
    FirstToken,     ///< attends to the first position (an attention sink: Xiao et al. 2024, Gu et al. 2025)
    Copying,        ///< makes the token that it attends to likelier (Olsson et al. 2022)
};
template<>
struct EnumNames<HeadDetector>
{
    static constexpr std::array<std::string_view, 5> values{"induction", "previous-token", "duplicate-token",
                                                            "first-token", "copying"};
    static constexpr const char *what = "detector of heads";
};

/// What one detector says of a head: a mean over queries, then over sequences.
struct DetectorScore
{
    HeadDetector detector = HeadDetector::Induction;
    double score = 0;
    Interval interval{};        ///< 95 %, bootstrap over sequences
    double p = 1;               ///< one-sided t-test over sequences: the mean is no more than the detector's threshold
    double pAdjusted = 1;       ///< Holm, over all heads and detectors
    std::int64_t sequences = 0; ///< that it rests on
};

struct HeadDetection
{
    HeadRef head;
    std::vector<HeadDetector> labels{}; ///< whose adjusted p is 5 % at most, the largest score first
    std::vector<DetectorScore> detectors{};
    std::optional<double> sinkQueries{}; ///< share of queries that give the first position more than 0.3
    std::optional<double> copyingGain{}; ///< of copying: the mean gain of the attended token's logit
    /// Of a head with a label: where each query of the second copy looks most in the first sequence, and how much.
    std::vector<std::int64_t> keys{};
    std::vector<double> weights{};
};

/// The attention to the first position from which on a query counts as using it as a sink (Gu et al. 2025).
inline constexpr double kSinkAttention = 0.3;

struct DetectResult
{
    static constexpr const char *kKind = "detect";
    Manifest manifest;
    std::int64_t length = 0; ///< n
    std::int64_t first = 0;  ///< position of the first random token: so many special ones stand before it
    double threshold = 0;    ///< of attention
    double copyingThreshold = 0;
    std::vector<std::int64_t> ids{};   ///< of the first sequence
    std::vector<std::string> tokens{}; ///< as they are shown; empty: the model has no tokenizer
    std::vector<HeadDetection> heads{};
    std::int64_t examples = 0; ///< sequences
};

/// The score of a detector; null: it says nothing of this head.
const DetectorScore *scoreOf(const HeadDetection &head, HeadDetector detector);
/// Throws Failure: evidence that does not lie in the sequence.
void checkDetections(const DetectResult &result);

void describe(auto &visit, Of<DetectorScore> auto &score)
{
    visit.field("detector", score.detector, "what the head may do");
    visit.field("score", score.score,
                "mean attention of the second copy's queries to the detector's key (`previous-token`: of all queries "
                "but the first); `copying`: share of these queries at which the attended token gains more than the "
                "mean over the vocabulary");
    visit.merge(score.interval);
    visit.field("p", score.p, "one-sided t-test over sequences: no more than `threshold` or `copying_threshold`");
    visit.field("p_adjusted", score.pAdjusted, "Holm, over all heads and detectors");
    visit.field("sequences", score.sequences, "that it rests on");
}

void describe(auto &visit, Of<HeadDetection> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("labels", head.labels, "detectors whose `p_adjusted` is 0.05 at most, the largest score first");
    visit.field("detectors", head.detectors, "one each");
    visit.rare("sink_queries", head.sinkQueries,
               "share of the second copy's queries that give the first position more than 0.3");
    visit.rare("copying_gain", head.copyingGain,
               "mean gain of the attended token's logit over the mean of the vocabulary, by the head's direct "
               "contribution");
    visit.rare("keys", head.keys,
               "of a labelled head: the position with the largest weight for each query of the second copy of the "
               "first sequence");
    visit.rare("weights", head.weights, "these weights");
}

void describe(auto &visit, Of<DetectResult> auto &result)
{
    visit.field("length", result.length, "n of the random tokens that are repeated");
    visit.field("first", result.first, "position of the first of them: so many special tokens stand before it");
    visit.field("threshold", result.threshold, "mean attention that a label needs more of");
    visit.field("copying_threshold", result.copyingThreshold, "share of queries that a copying head needs more of");
    visit.field("examples", result.examples, "sequences");
    visit.field("ids", result.ids, "of the first sequence");
    visit.rare("tokens", result.tokens, "the same as they are shown");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](DetectResult &of) { checkDetections(of); });
}

} // namespace headscope
