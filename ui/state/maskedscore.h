#pragma once

#include "ui/state/studystate.h"

#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// The score of a data set under the present mask, or of the full model, with all that it rests on.
struct MaskedScore
{
    std::string metric;
    double value = 0;
    std::optional<Interval> interval{};
    std::optional<double> delta{};           ///< to the full model, on the same examples
    std::optional<Interval> deltaInterval{}; ///< paired; none: it was not measured
    std::int64_t examples = 0;
    std::int64_t total = 0;
    bool partial = false; ///< of fewer examples than there will be
    Manifest manifest{};  ///< of what it was read from
};

/// From whatever has measured it on most examples: the score itself, a point of a pruning curve, a sweep where one head
/// is masked. Nothing: no result says it.
std::optional<MaskedScore> maskedScore(const StudyState &state, Domain domain);

} // namespace headscope
