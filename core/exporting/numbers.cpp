#include "core/exporting/numbers.h"

#include "core/base/parsednumber.h"
#include "core/exporting/metricunit.h"

#include <fmt/format.h>

#include <cmath>

namespace headscope {

ScoreText::ScoreText(std::string_view metric)
{
    if (isInPoints(metric)) {
        m_unit = std::string(metric) + " points";
    } else if (metric.ends_with("accuracy") || metric.ends_with("F1")) {
        m_factor = 100;
        m_suffix = " %";
        m_unit = "percentage points";
    } else {
        m_decimals = metric.ends_with("perplexity") ? 3 : 4;
        m_unit = std::string(metric);
    }
}

std::string ScoreText::score(double value) const
{
    return number(value) + m_suffix;
}
std::string ScoreText::number(double value) const
{
    return fixedText(m_factor * value, m_decimals);
}
std::string ScoreText::difference(double value) const
{
    return fixedText(m_factor * value, m_decimals, true);
}

std::string ScoreText::interval(const Interval &interval) const
{
    return "[" + difference(interval.low) + ", " + difference(interval.high) + "]";
}

std::string fixedText(double value, int decimals, bool sign)
{
    if (std::isnan(value))
        return "–";
    const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    if (digits.find_first_not_of("0.") == std::string::npos)
        return digits; // no sign of zero
    return (value < 0 ? "−" : sign ? "+" : "") + digits;
}

std::string pText(double p)
{
    if (std::isnan(p))
        return "–";
    return p < 0.001 ? "< 0.001" : fmt::format("{:.{}f}", p, p < 0.1 ? 3 : 2);
}

std::string percentText(double share, int decimals)
{
    return fixedText(100 * share, decimals) + " %";
}

} // namespace headscope
