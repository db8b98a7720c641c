#pragma once

#include "core/session/training.h"
#include "tests/support/reversecorpus.h"

#include <filesystem>
#include <string>

namespace headscope::testing {

/// A run of a small model on the made-up language (reversecorpus.h): "train" and "valid" in `folder`, where the run
/// goes, too.
inline TrainingConfig reverseRun(const std::filesystem::path &folder, const std::string &output)
{
    TrainingConfig config;
    config.output = folder / output;
    config.train.source = (folder / "train.src").string();
    config.train.reference = (folder / "train.ref").string();
    config.validation.source = (folder / "valid.src").string();
    config.validation.reference = (folder / "valid.ref").string();
    config.model = {.width = 32,
                    .encoderLayers = 1,
                    .decoderLayers = 1,
                    .encoderHeads = 2,
                    .decoderHeads = 2,
                    .feedForward = 64,
                    .maxPositions = 32};
    config.vocabulary.size = 60;
    config.batchTokens = 256;
    config.schedule = {ScheduleKind::InverseSqrt, 0.01, 30};
    config.epochs = 3;
    config.dtype = "f32";
    config.threads = 1; // threads that wait for each other take seconds on a busy machine
    config.reportSteps = 7;
    return config;
}

} // namespace headscope::testing
