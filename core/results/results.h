#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/interval.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Values that several results have: numbers and addresses, no torch, no Qt.
namespace headscope {

/// The end of a metric's signature where the heads that stayed in a layer were rescaled.
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
    std::int64_t textRow = -1;           ///< row of its text before texts were cut or left out; -1: none was

    bool operator==(const ExampleOutput &) const = default;
};

/// The replacement of a removed head's context (the guide's numbers.md, Ablation). Optimal: the constant that makes the
/// loss without the head as low as a constant can (Li and Janson 2024). Window: nothing is removed, the head sees the
/// first keys and those near the query only (KeyWindow).
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

/// A test of a score against the full model's, over the same examples.
struct PairedTest
{
    Interval interval;        ///< 95 %, paired bootstrap, of score − full model's
    double p = 1;             ///< two-sided, paired bootstrap
    std::int64_t changed = 0; ///< examples whose statistics differ

    bool operator==(const PairedTest &) const = default;
};

} // namespace headscope
