#pragma once

#include <string_view>

namespace headscope {

/// Whether a metric's scores are points of 0…100.
inline bool isInPoints(std::string_view metric)
{
    return metric == "BLEU" || metric.starts_with("chrF");
}

/// Whether it has no upper end; scores that are neither this nor points are at most 1.
inline bool isUnbounded(std::string_view metric)
{
    return metric == "loss" || metric.ends_with("perplexity");
}

} // namespace headscope
