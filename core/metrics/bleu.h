#pragma once

#include "core/metrics/metric.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// BLEU as sacreBLEU 2 computes it (Post 2018), checked against sacreBLEU's own test tables.
namespace headscope {

enum class BleuTokenizer {
    V13a,
    None,
    Char,
    Zh,     ///< Chinese characters one by one, the rest as 13a
    Pieces, ///< BleuOptions::pieces
};
enum class BleuSmoothing { Exp, Floor, AddK, None };

struct BleuOptions
{
    BleuTokenizer tokenizer = BleuTokenizer::V13a;
    BleuSmoothing smoothing = BleuSmoothing::Exp;
    double smoothingValue = -1; ///< < 0: sacreBLEU's default (floor 0.1, add-k 1)
    int maxOrder = 4;
    bool effectiveOrder = false; ///< mean only over orders that the hypothesis has
    bool lowerCase = false;
    /// For BleuTokenizer::Pieces: pieces with single blanks between them, by a function that may be called from several
    /// threads at once, and what signatures call it.
    std::function<std::string(std::string_view)> pieces{};
    std::string piecesName{};
};

/// sacreBLEU's "13a" (mteval-v13a): words and punctuation separated by single blanks. Does not strip first.
std::string tokenize13a(std::string_view line);
/// sacreBLEU's "zh".
std::string tokenizeZh(std::string_view line);

/// Every number that sacreBLEU prints for a score.
struct BleuDetails
{
    double score = 0;               ///< 0…100
    std::vector<double> precisions; ///< per order, 0…100, after smoothing
    double brevityPenalty = 0;
    double hypothesisLength = 0;
    double referenceLength = 0;

    /// "BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)"
    std::string text() const;
};

/// Corpus BLEU. Statistics, in sacreBLEU's order: hypothesis length, reference length (the closest one, the
/// shorter of two equally close), matches of order 1…N, n-grams of the hypothesis of order 1…N; in tokens.
class BleuMetric final : public TextMetric
{
public:
    explicit BleuMetric(BleuOptions options = {}, int references = 1);

    using TextMetric::prepare;
    using TextMetric::statistics;
    std::string name() const override { return "BLEU"; }
    std::string signature() const override;
    std::size_t statisticsSize() const override { return 2 + 2 * static_cast<std::size_t>(m_options.maxOrder); }
    std::unique_ptr<PreparedReference> prepare(std::span<const std::string_view> references) const override;
    void statistics(std::string_view hypothesis, const PreparedReference &reference,
                    std::span<double> out) const override;
    double score(std::span<const double> sums) const override { return details(sums).score; }
    Interval possible() const override { return {0, 100}; }

    BleuDetails details(std::span<const double> sums) const;
    /// As signatures name it.
    std::string tokenizerName() const;

private:
    std::string tokenized(std::string_view text) const;

    BleuOptions m_options;
    int m_references;
};

/// BLEU of one sentence, with effective order unless the options say otherwise.
double sentenceBleu(std::string_view hypothesis, std::span<const std::string_view> references,
                    BleuOptions options = {.effectiveOrder = true});

} // namespace headscope
