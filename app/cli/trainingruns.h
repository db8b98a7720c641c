#pragma once

#include "app/cli/output.h"
#include "core/exporting/csvwriter.h"
#include "core/session/training.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// The common part of the commands that train.
namespace headscope::cli {

/// CONFIG.json and the options that override parts of it.
struct TrainingArguments
{
    std::string config;
    std::string output;
    std::string startFrom;
    std::optional<int> threads;
    std::optional<std::string> device;
    OutputArguments report;
};

void addTrainingOptions(CLI::App &command, TrainingArguments &arguments, bool withTable);
/// Throws Failure.
TrainingConfig readConfig(const TrainingArguments &arguments, Context &context);
/// Trains, or goes on, with a line for every epoch. Throws Failure and Cancelled.
TrainingReport trainWithProgress(const TrainingConfig &config, Context &context);

/// One of several runs that differ in one thing.
struct TrainingVariant
{
    std::string name; ///< of its folder in the output folder: "lambda-0.05"
    std::function<void(TrainingConfig &)> change;
};
/// Trains one after the other. What is finished is read, what was stopped goes on. The epoch that a run is judged by is
/// its last with gates, which close over time, else the best.
struct VariantRun
{
    TrainingConfig config;
    TrainingReport report;

    const TrainingEpoch &judged() const;
};
std::vector<VariantRun> trainVariants(const TrainingConfig &base, const std::vector<TrainingVariant> &variants,
                                      Context &context);

/// How a command says what came out of its runs.
struct RunForms
{
    std::string result; ///< as "result" of the JSON
    std::function<Json(const VariantRun &)> json;
    std::vector<const char *> columns;
    std::function<void(const VariantRun &, CsvWriter &)> row;
};
/// As JSON with "runs", or as a table with a line for each.
void writeRuns(const OutputArguments &output, const std::vector<VariantRun> &runs, const RunForms &forms);

/// A value of a table that is written as an empty field.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// "0.05", as short as it is exact.
std::string shortNumber(double value);

} // namespace headscope::cli
