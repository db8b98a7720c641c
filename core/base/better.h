#pragma once

#include "core/base/enumnames.h"
#include "core/base/interval.h"

#include <array>
#include <string_view>

/// Which scores of a metric are better, and what follows from it: the only place that decides. A delta is always
/// "score without the head minus score with all heads", whatever the metric, in files, tables and pictures. Whoever
/// orders, colours or judges by a delta asks gain() instead of looking at its sign.
namespace headscope {

enum class Better {
    Higher, ///< BLEU, accuracy
    Lower,  ///< loss, perplexity
};
template<>
struct EnumNames<Better>
{
    static constexpr std::array<std::string_view, 2> values{"higher", "lower"};
    static constexpr const char *what = "direction of a metric";
};

/// By how much a change of the score is for the better: below zero, the model is worse than before.
constexpr double gain(Better better, double delta)
{
    return better == Better::Higher ? delta : -delta;
}

/// The same for an interval of changes, its ends in order.
constexpr Interval gain(Better better, const Interval &delta)
{
    return better == Better::Higher ? delta : Interval{-delta.high, -delta.low};
}

/// Whether the change is a loss. No NaN is one.
constexpr bool isWorse(Better better, double delta)
{
    return gain(better, delta) < 0;
}

} // namespace headscope
