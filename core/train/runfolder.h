#pragma once

#include "core/train/trainingconfig.h"
#include "core/train/trainingreport.h"

#include <nlohmann/json_fwd.hpp>
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// The state of a run: everything that the next update depends on besides configuration and data.
struct TrainingPlace
{
    std::int64_t step = 0;  ///< updates done, those with useless gradients included
    std::int64_t epoch = 0; ///< epochs done
    std::int64_t batch = 0; ///< batches done in the epoch under way
    std::int64_t optimizerSteps = 0;
    double epochLoss = 0; ///< sums over the epoch under way
    double epochTokens = 0;
    double seconds = 0; ///< spent on updates

    struct Window ///< sums over the updates since the last point
    {
        std::int64_t updates = 0;
        double crossEntropy = 0;
        double tokens = 0;
        double gradientNorm = 0;
        double seconds = 0;
    } window;
};

struct SavedState
{
    TrainingPlace place;
    torch::Tensor values, firstMoment, secondMoment; ///< [P]
};

/// The files of a training run (named in session/training.h). Every file and folder appears whole or not at all, so
/// that a run may be killed at any moment; clean() removes half-written files of a killed run.
class RunFolder
{
public:
    explicit RunFolder(std::filesystem::path folder) : m_folder(std::move(folder)) { }

    const std::filesystem::path &path() const { return m_folder; }
    std::filesystem::path configFile() const { return m_folder / "train.json"; }
    /// epoch-000 is the model that the run began with.
    static std::string epochName(std::int64_t epoch);
    std::filesystem::path epochFolder(std::int64_t epoch) const { return m_folder / epochName(epoch); }

    bool hasRun() const;
    void clean() const;

    Result<Done> saveState(const SavedState &state) const;
    /// Nothing when no state was saved yet.
    Result<std::optional<SavedState>> loadState() const;
    /// Its update; 0 when there is none that can be read.
    std::int64_t savedStep() const;

    Result<Done> append(const TrainingPoint &point) const;
    Result<Done> append(const TrainingEpoch &epoch) const;
    /// Points and epochs up to an update; damaged lines at the end (of a killed run) are left out.
    Result<Done> readHistory(TrainingReport &report) const;
    /// Forgets what came after an update.
    Result<Done> rewriteHistory(const TrainingReport &report) const;

private:
    std::filesystem::path stateFile() const { return m_folder / "training-state.safetensors"; }
    std::filesystem::path historyFile() const { return m_folder / "training.jsonl"; }
    Result<Done> appendLine(const std::string &line) const;

    std::filesystem::path m_folder;
};

/// Index of the epoch that is best by `goal`; nothing before the first validation.
std::optional<std::size_t> bestEpoch(const std::vector<TrainingEpoch> &epochs, ValidationGoal goal);

/// Whether the epochs and updates of a report are all that the configuration asks for; nothing while more are to come.
std::optional<TrainingState> finishedState(const TrainingConfig &config, const TrainingReport &report);

/// The report as the command line prints it.
nlohmann::ordered_json reportJson(const TrainingReport &report);

} // namespace headscope
