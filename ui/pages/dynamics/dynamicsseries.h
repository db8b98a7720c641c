#pragma once

#include "core/results/dynamicsresult.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/gridcontent.h"

#include <QString>

#include <cstddef>
#include <vector>

/// What the grid of the page of heads over training shows, made from a result: numbers and texts only.
namespace headscope {

/// What is known of heads at every checkpoint.
enum class DynamicsMeasure { Importance, Delta, Confidence };
QString dynamicsMeasureName(DynamicsMeasure measure);
/// The measures that the result has.
std::vector<DynamicsMeasure> dynamicsMeasures(const DynamicsResult &result);

GridContent dynamicsContent(const HeadLayout &layout, const DynamicsResult &result, std::size_t checkpoint,
                            DynamicsMeasure measure);
/// One scale for all checkpoints: colours can be compared over time.
ColorScale dynamicsScale(const HeadLayout &layout, const DynamicsResult &result, DynamicsMeasure measure);

} // namespace headscope
