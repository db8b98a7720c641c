#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Activation patching of heads between clean and corrupt texts (Vig et al. 2020; Wang et al. 2022).
namespace headscope {

/// The measure of an answer against the wrong answer.
enum class PatchMeasure : std::uint8_t { LogitDifference, Probability, Loss, Accuracy };
template<>
struct EnumNames<PatchMeasure>
{
    static constexpr std::array<std::string_view, 4> values{"logit-difference", "probability", "loss", "accuracy"};
    static constexpr const char *what = "measure of patching";
};

/// The part of a head that is put from one run into the other.
enum class PatchWhat : std::uint8_t {
    Context,
    Query,
    Key,   ///< of its key-value head, which all heads of the group read
    Value, ///< the same
    Pattern,
};
template<>
struct EnumNames<PatchWhat>
{
    static constexpr std::array<std::string_view, 5> values{"context", "query", "key", "value", "pattern"};
    static constexpr const char *what = "part of a head";
};

enum class PatchDirection : std::uint8_t {
    Denoise, ///< the corrupt text is run with a head's context of the clean one: what is enough to restore the answer
    Noise,   ///< the clean text with a head's context of the corrupt one: what the answer needs
};
template<>
struct EnumNames<PatchDirection>
{
    static constexpr std::array<std::string_view, 2> values{"denoise", "noise"};
    static constexpr const char *what = "direction of patching";
};

/// How positions of pairs of different lengths are counted.
enum class PatchAlignment : std::uint8_t {
    Start, ///< 0, 1, 2, … from the first token
    End,   ///< …, -2, -1 up to the last
};
template<>
struct EnumNames<PatchAlignment>
{
    static constexpr std::array<std::string_view, 2> values{"start", "end"};
    static constexpr const char *what = "alignment of positions";
};

/// The change by patching, mean over pairs.
struct PatchEffect
{
    double delta = 0;       ///< measure of the patched run − that of the base run
    Interval deltaInterval; ///< 95 %, bootstrap over pairs; NaN where there is one pair
    /// The sum of deltas by that of (donor − base): 0 nothing, 1 all of the difference. NaN where there is none.
    double effect = 0;
    Interval interval; ///< of the effect; NaN too where more than a fortieth of the resamples is undefined
    /// The share of the resamples that have no effect: in them donor and base do not differ, or the other way round.
    double undefined = 0;
    double attribution = 0; ///< first-order estimate of the delta of the logit difference, by gradients
};

struct HeadPatch
{
    HeadRef head;
    PatchEffect patch{};
    std::vector<HeadRef> together{}; ///< the other heads of its group
    /// The term that it adds to the logit difference by itself, in the runs of the clean and of the corrupt texts
    /// (direct logit attribution), mean over pairs; NaN: of a result along paths.
    double directClean = std::numeric_limits<double>::quiet_NaN();
    double directCorrupt = std::numeric_limits<double>::quiet_NaN();
};

/// A head at one position.
struct CellPatch
{
    HeadRef head;
    std::int64_t position = 0; ///< of its queries, counted as the result says; of keys and values of its keys
    std::int64_t pairs = 0;    ///< that have such a position
    PatchEffect patch{};
};

/// A text pair with what the model makes of it.
struct PatchPair
{
    std::int64_t row = 0;                        ///< of the data set
    std::vector<std::string> clean{}, corrupt{}; ///< tokens of what the first stack reads
    std::vector<std::string> written{};          ///< what the decoder of an encoder-decoder has read so far
    std::string answer{}, wrongAnswer{};         ///< tokens or labels that are compared
    double cleanScore = 0;
    double corruptScore = 0;
};

struct PatchScore
{
    double score = 0;
    Interval interval; ///< 95 %, bootstrap over pairs
};

/// How well attribution agrees with patching.
struct PatchAgreement
{
    std::int64_t count = 0; ///< heads or cells
    /// Correlation of attribution and delta; NaN where one of them is constant or there is nothing to compare.
    double pearson = std::numeric_limits<double>::quiet_NaN();
    double spearman = std::numeric_limits<double>::quiet_NaN();
};

/// By which number heads are put in order for circuits.
enum class CircuitOrder : std::uint8_t { Patching, Attribution };
template<>
struct EnumNames<CircuitOrder>
{
    static constexpr std::array<std::string_view, 2> values{"patching", "attribution"};
    static constexpr const char *what = "order of heads";
};

/// A circuit: the heads that keep their contexts in the run of the clean texts while all others get those of the
/// corrupt ones.
struct CircuitPoint
{
    double share = 0; ///< of the heads, as the benchmark asks for it
    std::int64_t heads = 0;
    double score = 0;        ///< measure of the circuit, mean over pairs
    double faithfulness = 0; ///< (score − corrupt) / (clean − corrupt); NaN where there is no difference
    Interval interval;       ///< 95 %, bootstrap over pairs
};

/// Circuits of growing size (Mueller et al. 2025).
struct CircuitCurve
{
    CircuitOrder by = CircuitOrder::Patching;
    bool absolute = false; ///< the largest effects of either sign first, else those that help most
    double area = 0;       ///< CPR: under the curve of faithfulness over the share of heads
    double distance = 0;   ///< CMD: between that curve and 1
    std::vector<CircuitPoint> points{};
};

struct PatchResult
{
    static constexpr const char *kKind = "patch";
    Manifest manifest;
    PatchMeasure measure = PatchMeasure::LogitDifference;
    PatchDirection direction = PatchDirection::Denoise;
    PatchWhat what = PatchWhat::Context;
    PatchAlignment alignment = PatchAlignment::Start;
    HeadUnit by = HeadUnit::Head; ///< of keys and values that heads share: their group
    std::int64_t examples = 0;    ///< pairs
    std::string pathsTo{}; ///< a head's address or "output": only what arrives there directly; empty: by all ways
    PatchScore clean, corrupt;
    std::vector<HeadPatch> heads; ///< at all positions together
    std::vector<CellPatch> cells; ///< by head, then position; none unless asked for
    PatchAgreement headAgreement{};
    PatchAgreement cellAgreement{};
    /// The terms that embeddings, feed-forward layers and biases add to the logit difference; with the heads, all of
    /// it.
    double directRestClean = std::numeric_limits<double>::quiet_NaN();
    double directRestCorrupt = std::numeric_limits<double>::quiet_NaN();
    PatchAgreement directAgreement{};     ///< of (donor − base) of direct contributions with patching
    std::vector<CircuitCurve> circuits{}; ///< if asked for
    std::vector<PatchPair> pairs;         ///< all of them
    std::int64_t runs = 0;                ///< patched runs: heads and cells times pairs
    /// Rows times sub-layers that were computed, by those of as many runs of whole texts.
    double work = 1;
};

/// The measure, higher is better or not.
constexpr bool isLowerBetter(PatchMeasure measure)
{
    return measure == PatchMeasure::Loss;
}

/// How much a head helps the answer, by a delta or an attribution of the result: above zero where its clean context
/// makes the measure better, or its corrupt one worse.
inline double helpfulness(const PatchResult &result, double delta)
{
    const bool isTurned = (result.direction == PatchDirection::Noise) != isLowerBetter(result.measure);
    return isTurned ? -delta : delta;
}

void describe(auto &visit, Of<PatchEffect> auto &patch)
{
    visit.field("delta", patch.delta, "measure of the patched run minus that of the base run, mean over pairs");
    visit.field("delta_low", patch.deltaInterval.low, "lower end of its 95 % interval, bootstrap over pairs");
    visit.field("delta_high", patch.deltaInterval.high, "upper end");
    visit.field("effect", patch.effect,
                "delta by the difference between donor and base: 0 nothing, 1 all of it; null where there is none");
    visit.field("ci_low", patch.interval.low, "lower end of the effect's 95 % interval");
    visit.field("ci_high", patch.interval.high, "upper end");
    visit.added("undefined", patch.undefined,
                "share of the resamples in which donor and base do not differ, or the other way round: they may have "
                "any effect, and more than 0.025 of them leave it without an interval");
    visit.field("attribution", patch.attribution,
                "first-order estimate of the delta of the logit difference, whatever the measure: the difference of "
                "contexts times the gradient at the base run");
}

void describe(auto &visit, Of<HeadPatch> auto &head)
{
    visit.field("head", head.head, "whose contexts were patched at all positions");
    visit.merge(head.patch);
    visit.added("direct_clean", head.directClean,
                "what it adds by itself to the logit difference of the clean run, norms held fixed (direct logit "
                "attribution); null along paths, and where not contexts are patched");
    visit.added("direct_corrupt", head.directCorrupt, "the same in the corrupt run");
    visit.rare("together", head.together, "the other heads of its group, where groups were patched");
}

void describe(auto &visit, Of<CellPatch> auto &cell)
{
    visit.field("head", cell.head, "whose context was patched");
    visit.field(
        "position", cell.position,
        "of the query: in the encoder's text, else in the decoder's; of keys and values that of the key, of cross-attention "
        "in the encoder's text");
    visit.field("pairs", cell.pairs, "that have this position");
    visit.merge(cell.patch);
}

void describe(auto &visit, Of<PatchPair> auto &pair)
{
    visit.field("row", pair.row, "of the data set");
    visit.field("clean", pair.clean, "tokens of the clean text");
    visit.field("corrupt", pair.corrupt, "of the corrupt one, as many");
    visit.rare("written", pair.written, "of an encoder-decoder: what its decoder has read when it decides");
    visit.field("answer", pair.answer, "token or label");
    visit.field("wrong_answer", pair.wrongAnswer, "what it is compared with");
    visit.field("clean_score", pair.cleanScore, "measure of the clean run");
    visit.field("corrupt_score", pair.corruptScore, "of the corrupt run");
}

void describe(auto &visit, Of<PatchScore> auto &score)
{
    visit.field("score", score.score, "mean over pairs");
    visit.field("ci_low", score.interval.low, "lower end of the 95 % interval, bootstrap over pairs");
    visit.field("ci_high", score.interval.high, "upper end");
}

void describe(auto &visit, Of<PatchAgreement> auto &agreement)
{
    visit.field("count", agreement.count, "heads or cells compared");
    visit.field("pearson", agreement.pearson, "correlation with delta; null where one is constant or there is none");
    visit.field("spearman", agreement.spearman, "of their ranks");
}

void describe(auto &visit, Of<CircuitPoint> auto &point)
{
    visit.field("share", point.share, "of the heads, rounded down to whole heads");
    visit.field("heads", point.heads, "that keep their contexts");
    visit.field("score", point.score, "measure of the clean texts with the corrupt contexts in all other heads");
    visit.field("faithfulness", point.faithfulness,
                "score minus that of the corrupt texts, by the difference of clean and corrupt texts; null where there "
                "is none");
    visit.field("ci_low", point.interval.low, "lower end of its 95 % interval, bootstrap over pairs");
    visit.field("ci_high", point.interval.high, "upper end");
}

void describe(auto &visit, Of<CircuitCurve> auto &curve)
{
    visit.field("by", curve.by, "what heads are ordered by");
    visit.field("absolute", curve.absolute, "largest effects of either sign first, else those that help most");
    visit.field("cpr", curve.area, "area under faithfulness over share, from the first point on");
    visit.field("cmd", curve.distance, "area between faithfulness and 1");
    visit.field("points", curve.points, "circuits of growing size");
}

void describe(auto &visit, Of<PatchResult> auto &result)
{
    visit.field("measure", result.measure, "of the answer against the wrong answer");
    visit.field("direction", result.direction, "which text is run with contexts of the other");
    visit.added("what", result.what, "of a head is patched");
    visit.field("align", result.alignment, "how positions are counted");
    visit.field("by", result.by,
                "what is patched at a time; keys and values that heads share are patched for all heads of the group");
    visit.field("examples", result.examples, "pairs");
    visit.rare("paths_to", result.pathsTo, "head or `output` that heads were patched on the direct paths to");
    visit.field("clean", result.clean, "score of the clean texts");
    visit.field("corrupt", result.corrupt, "of the corrupt ones");
    visit.field("heads", result.heads, "one each, at all positions");
    visit.field("cells", result.cells, "a head at one position each, if asked for");
    visit.field("head_agreement", result.headAgreement, "of attribution with patching, over heads");
    visit.field("cell_agreement", result.cellAgreement, "over cells");
    visit.added("direct_rest_clean", result.directRestClean,
                "what everything but the heads adds to the logit difference of the clean run; null along paths");
    visit.added("direct_rest_corrupt", result.directRestCorrupt, "the same in the corrupt run");
    visit.added("direct_agreement", result.directAgreement,
                "of donor minus base of direct contributions with patching, over heads of the last stack");
    visit.rare("circuits", result.circuits, "curves of faithfulness, if asked for");
    visit.field("pairs", result.pairs, "the texts");
    visit.field("runs", result.runs, "patched runs");
    visit.field("work", result.work, "rows times sub-layers computed, by those of as many runs of whole texts");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
