#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/base/sentencetree.h"
#include "core/metrics/correlation.h"
#include "core/metrics/groups.h"
#include "core/metrics/inference.h"
#include "core/results/manifest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Plain results of all analyses: numbers and addresses, no torch, no Qt.
namespace headscope {

/// What a metric's signature ends with where the heads that stayed in a layer were rescaled.
inline constexpr const char *kRescaledSignature = "|heads:rescaled";

/// A score of a whole data set. Translation: "BLEU" (points 0…100), "chrF2"; classification: "accuracy" (0…1), "F1",
/// "Matthews", "Pearson", "Spearman", "loss"; language models: "perplexity", "pseudo-perplexity", "loss", "accuracy".
struct MetricValue
{
    std::string name;
    double value = 0;
    std::optional<Interval> interval; ///< 95 %, bootstrap over examples
    std::string signature;            ///< sacreBLEU style, empty where a metric has none
    Better better = Better::Higher;   ///< which scores are
};

/// Evidence that decisions by quick products (ProductChoice) equal those by exact ones: the observed errors beside the
/// margins that were allowed for.
struct PrecisionCheck
{
    struct Tier
    {
        std::string products;      ///< "int8", "bf16", "split bf16", "f32"
        double error = 0;          ///< the largest observed error of a difference of logits on which a decision depends
        double allowed = 0;        ///< the margin: decisions below it were made again by the next tier
        std::int64_t passedOn = 0; ///< examples times variants that were

        bool operator==(const Tier &) const = default;
    };
    std::vector<Tier> tiers; ///< quickest first; none: all products were exact
    std::int64_t runs = 0;   ///< examples times variants

    /// Adds the numbers of another part of the same work, of which a tier may not have been worth it.
    void add(const PrecisionCheck &other)
    {
        runs += other.runs;
        std::size_t slower = tiers.size(); // the place of the tier behind
        for (auto tier = other.tiers.rbegin(); tier != other.tiers.rend(); ++tier) {
            const auto same = std::find_if(tiers.begin(), tiers.end(),
                                           [&](const Tier &own) { return own.products == tier->products; });
            if (same == tiers.end()) {
                tiers.insert(tiers.begin() + static_cast<std::ptrdiff_t>(slower), *tier);
                continue;
            }
            same->error = std::max(same->error, tier->error);
            same->allowed = std::max(same->allowed, tier->allowed);
            same->passedOn += tier->passedOn;
            slower = static_cast<std::size_t>(same - tiers.begin());
        }
    }
    bool operator==(const PrecisionCheck &) const = default;
};

/// The model's output for one example.
struct ExampleOutput
{
    std::int64_t index = 0;           ///< row in the data set
    std::int64_t textRow = -1;        ///< row of its text before texts were cut or left out; -1: none was
    std::vector<std::int64_t> tokens; ///< up to and including the end token
    std::string text;                 ///< translation, or the predicted label (several joined by ", ")
    double score = 0;                 ///< beam: normalised log-probability; greedy: sum of log-probabilities

    // Classification only.
    std::vector<float> logits;
    std::vector<int> predicted; ///< labels: one; any number when multi-label; none in regression
    std::vector<int> labels;    ///< the right ones, where they are known

    // Language models only: `tokens` are the best guesses where tokens count, `score` is Σ ln p of what stands there.
    std::int64_t right = 0; ///< guesses that are right
    double otherScore = 0; ///< of a minimal pair: Σ ln p of the sentence that should be less likely; of a question: of
                           ///< the likeliest wrong choice
    std::vector<double> choices{};       ///< of a question: Σ ln p of each choice behind it
    std::vector<double> unconditional{}; ///< and without it

    bool operator==(const ExampleOutput &) const = default;
};

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
    /// Of the primary metric, where examples belong to groups (paradigms of minimal pairs); else empty.
    std::vector<GroupScore> groups{};
    /// Of generated outputs: the most tokens that one may have, start token included (0: nothing is generated), and how
    /// many outputs stopped there without having come to their end.
    std::int64_t longestOutput = 0;
    std::int64_t reachedLimit = 0;
    /// With outputs of a language model: rows of the texts in which nothing can be predicted.
    std::vector<std::int64_t> leftOut{};

    const MetricValue &primary() const { return metrics.front(); }
};

/// The replacement of a removed head's context (METHODS 7.1). Optimal: the constant that makes the loss without the
/// head as low as a constant can (Li and Janson 2024). Window: nothing is removed, the head sees the first keys and
/// those near the query only (KeyWindow).
enum class Replacement { Zero, Mean, Resample, Optimal, Window };
template<>
struct EnumNames<Replacement>
{
    static constexpr std::array<std::string_view, 5> values{"zero", "mean", "resample", "optimal", "window"};
    static constexpr const char *what = "replacement";
};
/// Whether contexts of a data set are put in a head's place.
constexpr bool takesContexts(Replacement replacement)
{
    return replacement == Replacement::Mean || replacement == Replacement::Resample
        || replacement == Replacement::Optimal;
}
/// The keys that a windowed head sees unless something else is asked for (the sinks: Xiao et al. 2024).
inline constexpr std::int64_t kUsualSinks = 4;
inline constexpr std::int64_t kUsualNeighbours = 64;

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

/// Which absolute value importance takes (METHODS 1.5): per token (Michel's code), per example (the paper's
/// formula), per batch, or Fisher (squared per batch, and summed over batches).
enum class ImportanceReduction { Token, Example, Batch, Fisher };
template<>
struct EnumNames<ImportanceReduction>
{
    static constexpr std::array<std::string_view, 4> values{"token", "example", "batch", "fisher"};
    static constexpr const char *what = "reduction";
};
/// The loss of an example that has several target tokens: the sum of theirs, or their mean.
enum class ExampleLoss { Sum, Mean };
template<>
struct EnumNames<ExampleLoss>
{
    static constexpr std::array<std::string_view, 2> values{"sum", "mean"};
    static constexpr const char *what = "loss of an example";
};
/// Layer: divided by the ℓ2 norm of the layer; Global: by that of all heads; Bertology: by layer, then mapped to 0…1
/// over all heads, as Hugging Face's bertology script does (this was called "global" up to version 0.1).
enum class ImportanceNormalization { None, Layer, Global, Bertology };
template<>
struct EnumNames<ImportanceNormalization>
{
    static constexpr std::array<std::string_view, 4> values{"none", "layer", "global", "bertology"};
    static constexpr const char *what = "normalisation";
};

struct HeadImportance
{
    HeadRef head;
    double importance = 0;
    /// Over examples (batches for Batch and Fisher), after normalisation; NaN where there is one only, or none is made.
    double standardError = 0;
    std::vector<HeadRef> together{}; ///< the other heads of its group, where the estimate is of groups
};

struct ImportanceResult
{
    static constexpr const char *kKind = "importance";
    Manifest manifest;
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    std::vector<HeadImportance> heads;
    std::int64_t examples = 0;
    double meanLoss = 0; ///< negative log-likelihood per target token, nats
    /// Of Batch and Fisher, whose values depend on how examples were put together: how many batches there were, and of
    /// how many examples or of at most how many tokens; 0 for other reductions.
    std::int64_t batches = 0;
    std::int64_t examplesPerBatch = 0;
    std::int64_t tokensPerBatch = 0;
    ExampleLoss exampleLoss = ExampleLoss::Sum; ///< that gradients are of
};

/// A test of a score against the full model's, over the same examples.
struct PairedTest
{
    Interval interval;        ///< 95 %, paired bootstrap, of score − full model's
    double p = 1;             ///< two-sided, paired bootstrap
    std::int64_t changed = 0; ///< examples whose statistics differ

    bool operator==(const PairedTest &) const = default;
};

/// Another metric of the same outputs.
struct PointMetric : MetricValue
{
    std::optional<PairedTest> paired{}; ///< as PruningPoint's
};

struct PruningPoint
{
    std::int64_t pruned = 0;
    double fraction = 0; ///< of the heads that may be pruned
    double score = 0;
    Interval interval;                 ///< 95 %, bootstrap; random band: lowest and highest of the orders
    HeadMask mask;                     ///< the heads removed here; empty in a random band
    std::vector<PointMetric> others{}; ///< of labels: the other metrics of predictions, under the same masks
    /// Against the full model. None in a random band, without resamples, of one example, and in older files.
    std::optional<PairedTest> paired{};
};

/// How many heads "10 %" of them are where that is no whole number (METHODS 1.6).
enum class StepRounding { Down, Up };
template<>
struct EnumNames<StepRounding>
{
    static constexpr std::array<std::string_view, 2> values{"down", "up"};
    static constexpr const char *what = "rounding";
};

struct PruningCurve
{
    std::string order;                ///< one of kPruningOrders (analysis/specs.h), or a file's name
    std::vector<PruningPoint> points; ///< from 0 heads on, ascending
    std::int64_t randomOrders = 0;    ///< > 0: a band over that many random orders; score is their mean
    PrecisionCheck products{};
    std::vector<HeadKind> kinds{}; ///< what could be removed; empty = heads of all kinds
    std::int64_t candidates = 0;   ///< heads that could be removed: 100 %
    bool reversed = false;         ///< the order was reversed
    bool reestimated = false;      ///< the order was computed again before every step
    bool rescaled = false;         ///< the heads that stayed in a layer were scaled by its heads over them
    std::int64_t atLeastPerLayer = 0;
    std::int64_t step = 0; ///< heads removed between two points; 0: tenths, rounded as `rounding` says
    StepRounding rounding = StepRounding::Down;
    std::string orderData{};        ///< the data set by which the order was chosen; empty: by none (random, a file)
    bool chosenOnEvaluated = false; ///< that is the evaluated set itself: the curve flatters the order
};

struct PruningResult
{
    static constexpr const char *kKind = "prune";
    Manifest manifest;
    std::string metric;             ///< name of the score
    Better better = Better::Higher; ///< which scores are
    std::vector<PruningCurve> curves;
    std::int64_t examples = 0;
};

struct HeadConfidence
{
    HeadRef head;
    double confidence = 0; ///< mean over query tokens of the largest weight, special tokens left out
    std::int64_t tokens = 0;
    std::vector<HeadRef> together{}; ///< the other heads of its group, where the mean is of groups
};

struct ConfidenceResult
{
    static constexpr const char *kKind = "confidence";
    Manifest manifest;
    std::vector<HeadConfidence> heads;
    std::int64_t examples = 0;
};

struct TokenLabel
{
    std::string text; ///< as shown: "▁" kept, so that words can be joined
    std::int64_t id = 0;
    bool special = false; ///< start, end, padding, unknown, [CLS], [SEP]
    int word = -1;        ///< which word it belongs to, -1 for special tokens
    int segment = 0;      ///< 0 first text, 1 second text of a pair, -1 for special tokens
    int treeWord = -1;    ///< which word of the tree, where there is one and the token belongs to one of its words
};

/// Attention of one head: weights[query * keys + key], rows sum to 1.
struct AttentionMap
{
    HeadRef head;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::vector<float> weights;
    bool masked = false;
    /// ‖f(y)‖ of every key's transformed value vector W_O(W_V y + b_V): weights times these are what is added for a key
    /// (Kobayashi et al. 2020; METHODS 7.7).
    std::vector<float> valueNorms{};
};

struct AttentionResult
{
    static constexpr const char *kKind = "attention";
    Manifest manifest;
    std::string source;
    std::string target;    ///< the output that the decoder was forced to, or the second text of a pair
    std::string predicted; ///< classification: label and probability, "positive 0.98"
    std::vector<TokenLabel> sourceTokens;
    /// Decoder *input* tokens (start token first): queries of cross and decoder maps, keys of decoder maps.
    std::vector<TokenLabel> targetTokens;
    std::vector<AttentionMap> maps; ///< ordered by head
    SentenceTree sourceTree{};      ///< of the source, where one was given
    bool cut = false;               ///< source or target did not fit into the model's positions: the end was left out
    bool emptyPair = false;         ///< the text was read as a pair whose second text is empty
};

struct HeadDifference
{
    HeadRef head;
    double a = 0;
    double b = 0;
    double difference = 0; ///< b − a

    /// Of a difference of deltas: two bootstraps, one in each data set.
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
