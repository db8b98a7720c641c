#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/family.h"
#include "core/train/objective.h"
#include "core/train/optimizer.h"
#include "core/train/parameters.h"
#include "core/train/runfolder.h"
#include "core/train/trainedgates.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

struct Validation
{
    double loss = 0; ///< nats per target token
    std::optional<double> score{};
    std::string metric{};
    Better better = Better::Higher;
};

/// The parts of a trainer: a model, its data, and the folder where it is kept.
struct TrainingParts
{
    Execution execution;
    TrainingConfig config;
    RunFolder folder;
    const Family &family;
    Parameters &parameters;
    const Objective &objective;
    const TrainedGates *gates = nullptr;                        ///< null: heads have none
    std::function<Validation(const HeadMask &closed)> validate; ///< of parameters.model(); may be empty
};

/// The training loop: updates, schedule, validation after every epoch, early stopping, and the state on disk. The same
/// configuration gives the same numbers whatever the number of threads and however often the run was interrupted.
/// Throws Cancelled (after saving the state) and Failure.
class Trainer
{
public:
    Trainer(TrainingParts parts, TrainingReport report);

    TrainingReport run(const JobControl &control, const Publish<TrainingReport> &publish);

private:
    struct StepResult
    {
        double crossEntropy = 0;
        double gradientNorm = 0;
        std::int64_t tokens = 0;
    };

    void resume();
    void runEpoch(const JobControl &control);
    StepResult update(const std::vector<std::int64_t> &batch, const JobControl &control);
    torch::Tensor partGradient(const std::vector<std::int64_t> &part, std::uint64_t seed, double &crossEntropy,
                               const JobControl &control) const;
    torch::Tensor penaltyGradient(std::int64_t tokens) const;
    HeadMask closedHeads() const;
    void record(const StepResult &result, double seconds, std::size_t batchesOfEpoch);
    /// The point of the updates since the last one.
    TrainingPoint nextPoint(std::size_t batchesOfEpoch) const;
    void measureStart();
    void finishEpoch();
    void saveEpochFolder(std::int64_t epoch) const;
    void saveState();
    void showProgress(const JobControl &control) const;
    void estimateTotal(std::size_t batchesOfEpoch);

    TrainingParts m_parts;
    TrainingReport m_report;
    Publish<TrainingReport> m_publish;
    Optimizer m_optimizer;
    TrainingPlace m_place;
    std::int64_t m_partTokens = 0;
    double m_savedAt = 0; ///< m_place.seconds
};

} // namespace headscope
