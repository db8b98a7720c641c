#pragma once

#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/train/trainingconfig.h"

#include <filesystem>

namespace headscope {

/// Makes the model folder that training begins with: a copy of config.startFrom, without config.removedHeads and with
/// config.model.sharedWidth columns of query and key projections, or a new vocabulary from the training text, a new
/// config.json and fresh weights.
Result<Done> makeStartingPoint(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder,
                               const JobControl &control);

} // namespace headscope
