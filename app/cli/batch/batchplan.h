#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// A plan of many analyses: models × data sets × analyses, in JSON:
///
///     {"output": "results",
///      "models":   ["models/en-de", {"name": "en-fr", "model": "models/en-fr", "device": "cpu"}],
///      "data":     [{"name": "news", "source": "news.en", "reference": "news.de", "models": ["en-de"]},
///                   {"name": "reviews", "data": "reviews.tsv", "limit": 500}],
///      "analyses": [{"command": "ablate", "resamples": 1000},
///                   {"command": "prune", "order-on": "@reviews", "data": ["news"]}]}
///
/// Everything else in an entry is an option of the command, without the dashes: true for one without a value, a list
/// for several values, "@NAME" for the files of a data set, read as that set says. "models" of data sets and analyses,
/// and "data" of analyses, say which ones they are for; without them all. Paths are as seen from the plan's folder.
namespace headscope::cli {

/// One analysis of one model on one data set: a command as anybody could give it.
struct BatchEntry
{
    std::string model; ///< names in the plan
    std::string data;
    std::string command;
    std::size_t analysis = 0;           ///< which of the plan's
    std::vector<std::string> words{};   ///< of the command, all but --out
    std::vector<std::string> options{}; ///< of these words those that decide numbers, without paths of model and data
    std::vector<std::string> inputs{};  ///< the model's folder, and files

    std::string name() const { return command + " of " + model + " on " + data; }
};

struct BatchPlan
{
    std::filesystem::path output;    ///< absolute
    std::vector<std::string> models; ///< names, in the plan's order
    std::vector<std::string> data;
    std::vector<BatchEntry> entries; ///< by model, then data set, then analysis
};

/// The reference that a plan is checked against: the commands of this program.
struct PlanCommands
{
    /// Whether there is such a command, which measures a model and writes a result.
    std::function<bool(const std::string &command)> measures;
    /// The error in the words of a command; empty: nothing.
    std::function<std::string(const std::vector<std::string> &words)> wrongIn;
    /// Whether an option (without dashes) says how data are read, and is no file.
    std::function<bool(const std::string &option)> saysHowToRead;
    std::string secondReading; ///< the option (without dashes) that says it of a second data set
    std::string usualReading;  ///< its word for a reading without options
};

/// Reads a plan and checks all of it: that commands and options exist and fit, and that models and data are there. The
/// working folder must be the plan's. `name`: what messages call it. Throws Failure that names the entry.
BatchPlan batchPlan(nlohmann::json plan, const std::string &name, const PlanCommands &commands);

} // namespace headscope::cli
