#pragma once

#include "core/train/trainingreport.h"
#include "ui/charts/lineseries.h"
#include "ui/models/gridcontent.h"

#include <cstddef>

/// What the training page shows of gates that learn, made from a report: numbers and texts only.
namespace headscope {

/// P(gate = 0) of every gated head at one of the report's points.
GridContent gateContent(const TrainingReport &report, std::size_t point);
/// Over updates, in per cent: heads that are open (as far as that is decided) of those that have gates, and the score
/// under the closed heads of that of the best epoch.
LineSeries makeGateSeries(const TrainingReport &report);
/// The heads that the run has closed by now; empty before the first epoch.
HeadMask closedByNow(const TrainingReport &report);

} // namespace headscope
