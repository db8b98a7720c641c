#pragma once

#include "core/base/jobcontrol.h"
#include "core/train/trainingconfig.h"
#include "core/train/trainingreport.h"

#include <filesystem>
#include <string>

namespace headscope {

/// Trains a model, from scratch or from a folder, into config.output:
///   epoch-001/ …           complete Hugging Face folders, one per epoch
///   training-state.safetensors  weights, moments and place in the data: what a killed run goes on from
///   training.jsonl         the report, one line per point and epoch
///   train.json             its configuration
/// If the folder holds an unfinished run of the same configuration (apart from epochs, steps, patience, threads and
/// other values that may change), it goes on from its last state; of another configuration: an error that says so.
/// `publish` gets the report after every point and epoch. On cancel the state is saved first, so that nothing is lost.
Result<TrainingReport> train(const TrainingConfig &config, const JobControl &control,
                             const Publish<TrainingReport> &publish = {});

/// The report of a run as it is on disk, finished or not, and its configuration.
struct TrainingRun
{
    TrainingConfig config;
    TrainingReport report;
};
Result<TrainingRun> readTrainingRun(const std::filesystem::path &folder);

/// The whole report as JSON.
std::string trainingReportText(const TrainingReport &report);

} // namespace headscope
