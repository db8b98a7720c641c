#pragma once

#include "core/base/interval.h"

#include <string>
#include <string_view>

namespace headscope {

/// How scores of a metric are written for people, in the C locale with a true minus sign: BLEU and chrF as they are,
/// accuracy and F1 as per cent, correlations, losses and perplexities as they are.
class ScoreText
{
public:
    explicit ScoreText(std::string_view metric);

    std::string score(double value) const;                ///< "56.92", "80.96 %"
    std::string number(double value) const;               ///< "80.96"
    std::string difference(double value) const;           ///< "−1.26"
    std::string interval(const Interval &interval) const; ///< of a difference: "[−1.90, −0.61]"
    const std::string &unit() const { return m_unit; }    ///< of differences: "BLEU points", "percentage points"

private:
    double m_factor = 1;
    int m_decimals = 2;
    std::string m_suffix;
    std::string m_unit;
};

/// "−0.53", "+0.12" where `sign`; NaN is "–".
std::string fixedText(double value, int decimals, bool sign = false);
std::string pText(double p);                             ///< "< 0.001", "0.032", "0.41"
std::string percentText(double share, int decimals = 0); ///< 0.875: "88 %"

} // namespace headscope
