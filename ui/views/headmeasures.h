#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "ui/state/studystate.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// What one measure says of a head.
struct MeasuredHead
{
    HeadRef head;
    double value = 0;                   ///< as shown
    std::optional<Interval> interval{}; ///< 95 %, as shown
    std::int64_t count = 0;             ///< that it rests on; 0: it is counted, not measured
};

/// A number for every head, or for those that have one.
struct HeadMeasure
{
    QString id;      ///< the same whatever the language: "ablation", "roles.offset.-1", "layer"
    QString name;    ///< "Ablation Δ BLEU, in-domain"
    QString unit;    ///< "BLEU points", "%"; empty: none
    QString counted; ///< what the counts are of: "examples", "instances"
    int decimals = 3;
    std::vector<MeasuredHead> heads;
};

/// Everything with a number for every head that is computed of a data set, and where a head stands in its model. Those
/// of the other data set follow, with its name.
std::vector<HeadMeasure> headMeasures(const StudyState &state, Domain domain);

} // namespace headscope
