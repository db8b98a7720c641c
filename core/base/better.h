#pragma once

#include "core/base/enumnames.h"
#include "core/base/interval.h"

#include <array>
#include <string_view>

/// Decides which scores of a metric are better, the only place that does. A delta is always "score without the head
/// minus score with all heads", whatever the metric, in files, tables and pictures. Code that orders, colours or tests
/// by a delta calls gain() instead of reading its sign.
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

/// By how much a change of the score is an improvement; below zero the model got worse.
constexpr double gain(Better better, double delta)
{
    return better == Better::Higher ? delta : -delta;
}

/// By how much an interval of changes is for the better, its ends in order.
constexpr Interval gain(Better better, const Interval &delta)
{
    return better == Better::Higher ? delta : Interval{-delta.high, -delta.low};
}

/// Whether the change is a loss. NaN is not.
constexpr bool isWorse(Better better, double delta)
{
    return gain(better, delta) < 0;
}

} // namespace headscope
