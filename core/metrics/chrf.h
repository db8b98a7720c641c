#pragma once

#include "core/metrics/metric.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

/// chrF as sacreBLEU 2 computes it (Popović 2015), checked against sacreBLEU's own test tables.
namespace headscope {

struct ChrfOptions
{
    int characterOrder = 6;
    int wordOrder = 0;       ///< 2 = chrF++
    int beta = 2;            ///< weight of recall
    bool whitespace = false; ///< count blanks as characters
    bool lowerCase = false;
    bool epsilonSmoothing = false; ///< as chrF++.py, NLTK and Moses; default: only orders that both sides have
};

/// Corpus chrF. Statistics per order (characters first, then words): n-grams of the hypothesis (0 where the
/// reference has none of that order), of the reference, and matches; for the reference with the best score.
class ChrfMetric final : public TextMetric
{
public:
    explicit ChrfMetric(ChrfOptions options = {}, int references = 1);

    using TextMetric::prepare;
    using TextMetric::statistics;
    std::string name() const override; ///< "chrF2", "chrF2++"
    std::string signature() const override;
    std::size_t statisticsSize() const override { return 3 * orders(); }
    std::unique_ptr<PreparedReference> prepare(std::span<const std::string_view> references) const override;
    void statistics(std::string_view hypothesis, const PreparedReference &reference,
                    std::span<double> out) const override;
    double score(std::span<const double> sums) const override; ///< 0…100
    Interval possible() const override { return {0, 100}; }

private:
    std::size_t orders() const { return static_cast<std::size_t>(m_options.characterOrder + m_options.wordOrder); }

    ChrfOptions m_options;
    int m_references;
};

} // namespace headscope
