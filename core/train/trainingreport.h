#pragma once

#include "core/base/better.h"
#include "core/base/headref.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// How a training run went so far: numbers only.
namespace headscope {

/// Mean over the updates since the point before.
struct TrainingPoint
{
    std::int64_t step = 0;   ///< updates done
    double epoch = 0;        ///< epochs done, with fraction
    double loss = 0;         ///< nats per target token, without label smoothing, with dropout
    double gradientNorm = 0; ///< before clipping
    double learningRate = 0;
    double tokensPerSecond = 0; ///< target tokens without padding, trained on
    /// For every gated head P(gate = 0); for a chosen subset how far it is outside (0 … 1). Empty without gates.
    std::map<HeadRef, double> closed{};
    /// For fresh weights: how far the heads of a layer are from their mean, by their norm: 0 = equal (headSpread()).
    std::optional<double> spread{};

    bool operator==(const TrainingPoint &) const = default;
};

struct TrainingEpoch
{
    std::int64_t epoch = 0; ///< from 1
    std::int64_t step = 0;
    double trainLoss = 0;                 ///< mean of the epoch's updates
    std::optional<double> validationLoss; ///< nats per target token
    std::optional<double> score;          ///< of the validation data, by the task's first metric
    double seconds = 0;                   ///< training since the run began, without validation
    std::string folder;                   ///< name of its model folder in the run's folder
    std::string metric = "BLEU";          ///< that `score` is of
    Better better = Better::Higher;       ///< which scores are
    /// With gates: the heads that are closed, under which the epoch was validated.
    std::optional<HeadMask> mask{};

    bool operator==(const TrainingEpoch &) const = default;
};

enum class TrainingState {
    Preparing, ///< reading, vocabulary
    Running,
    Finished, ///< all epochs or updates done
    StoppedEarly,
};

struct TrainingReport
{
    TrainingState state = TrainingState::Preparing;
    std::filesystem::path folder;
    std::int64_t parameters = 0;
    std::int64_t trainExamples = 0;
    std::int64_t step = 0;
    std::int64_t totalSteps = 0;   ///< expected, 0 = not known yet
    std::int64_t resumedFrom = -1; ///< update that this run resumed from; −1: new run
    std::string device;
    std::string dtype; ///< of the matrix products
    std::vector<TrainingPoint> points;
    std::vector<TrainingEpoch> epochs;
    std::optional<TrainingEpoch> before;  ///< what trained weights were measured at before the first update: epoch 0
    std::optional<std::size_t> bestEpoch; ///< index into epochs
    std::vector<std::string> warnings;
};

/// The heads that have gates; none before the first point, or without gates.
HeadLayout gatedHeads(const TrainingReport &report);
/// How many of them are open, as far as that is decided: Σ of 1 − P(gate = 0).
double expectedOpen(const TrainingPoint &point);

} // namespace headscope
