#pragma once

#include <string_view>

namespace headscope {

/// Whether a metric's scores are points of 0…100; the others are at most 1.
inline bool isInPoints(std::string_view metric)
{
    return metric == "BLEU" || metric.starts_with("chrF");
}

} // namespace headscope
