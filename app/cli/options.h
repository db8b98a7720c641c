#pragma once

#include "core/data/readingoptions.h"
#include "core/session/session.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
}

/// Options that several commands take, spelt the same everywhere.
namespace headscope::cli {

struct ModelArguments
{
    std::string folder;
    ModelOptions options;
    std::string workFolder; ///< empty: the usual one; kNoWorkFolder
};

inline constexpr const char *kNoWorkFolder = "none";

struct OutputArguments
{
    std::string file;            ///< empty: standard output
    std::string format = "json"; ///< or csv
    bool quiet = false;

    bool isCsv() const { return format == "csv"; }
};

struct CommonArguments
{
    ModelArguments model;
    DataSource data;
    RunOptions run;
    std::string mask;
    std::vector<std::string> secondReading{}; ///< how a second data set is read; empty: as the first
    OutputArguments output;
    std::optional<double> dryRun{}; ///< seconds of a phase that are measured, and no result is computed
};

/// Checks of numbers. CLI11's let nan pass, some let too large ones pass as others, and speak of 309 digits.
CLI::Validator wholeNumber(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());
inline constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
CLI::Validator realNumber(double least, double most = std::numeric_limits<double>::max());

void addModelOptions(CLI::App &command, ModelArguments &arguments);
/// --source, --reference, --data and how to read it, --text-file and how to cut it, --conllu, --limit.
void addDataOptions(CLI::App &command, DataSource &data);
/// --beams, --length-penalty, --max-length, --metric, --batch-tokens, --seed, --plain.
void addRunOptions(CLI::App &command, RunOptions &run);
/// A second data set by its files: a table, or source and reference, and maybe their trees; read like the first one.
void addSecondDataOption(CLI::App &command, const char *option, std::vector<std::string> &files, const char *help);
/// How that set is read where it is not like the first one: `--second-reading OPTION[=VALUE]...`, options of reading
/// data without their dashes. Those that are not among them are as usual, not as of the first set; kUsualReading by
/// itself: all of them.
void addSecondReadingOption(CLI::App &command, std::vector<std::string> &words);
/// Whether an option (without dashes) says how data is read, and is no file.
bool isReadingOption(const std::string &name);
/// The set that such words name, one of the same kind (parallel text, a table, ...) as `like`; without words: `like`.
/// Throws Failure.
DataSource readBy(const std::vector<std::string> &words, const DataSource &like);
/// Throws Failure. `option` is what an error speaks of.
DataSource secondData(const std::vector<std::string> &files, const DataSource &like, const char *option);
void addMaskOption(CLI::App &command, std::string &mask);
/// --dry-run: seconds that are measured of every phase.
void addDryRunOption(CLI::App &command, std::optional<double> &seconds);
void addOutputOptions(CLI::App &command, OutputArguments &output, bool withTable);
/// Whatever was given must be UTF-8: it goes into results. Throws CLI::ValidationError.
void checkUtf8(const std::vector<std::string> &words);
/// All of them, or all but the mask or the data.
void addCommonOptions(CLI::App &command, CommonArguments &arguments, bool withMask = true, bool withData = true);

/// A mask as the user wrote it, heads or a file of matrices (aliveheads.h), checked against the model. Throws Failure.
/// `option` is what an error speaks of.
HeadMask checkedMask(const std::string &text, const HeadLayout &layout, const char *option = "--mask");
/// The data set as it is to be read: a sample is drawn by the seed of everything else.
DataSource drawn(DataSource data, const RunOptions &run);
/// With the prefix that the chosen task of the model puts before sources, where the data have no other.
DataSource withTaskPrefix(DataSource data, const RunOptions &run, const ModelCard &model);
/// Refuses what a model that generates nothing would ignore. Throws Failure.
void checkDecoding(const RunOptions &run, const ModelCard &model);
void checkOwnOutput(bool ownOutput, const ModelCard &model);
/// Whether the data options fit together; `measures` for commands that compare with references or labels. Whether a
/// table has labels shows when it is read. Throws Failure.
void checkData(const DataSource &data, bool measures);

} // namespace headscope::cli
