#pragma once

#include "ui/state/trainingcontroller.h"

#include <QString>

/// What the training page says of a run, as rich text (its status) or plain.
namespace headscope {

inline constexpr int kLossDecimals = 3;

/// Where the run is, or how it ended. `config`: that of the form, which is the run's while it runs.
QString trainingStatusText(const TrainingController &training, const TrainingConfig &config);
/// What stays the same during a run.
QString trainingDetailText(const TrainingReport &report);

} // namespace headscope
