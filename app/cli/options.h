#pragma once

#include "core/session/session.h"

#include <memory>
#include <string>

namespace CLI {
class App;
}

/// What several commands take, spelt the same everywhere.
namespace headscope::cli {

struct ModelArguments
{
    std::string folder;
    ModelOptions options;
};

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
    OutputArguments output;
};

void addModelOptions(CLI::App &command, ModelArguments &arguments);
/// --source, --reference, --data and its columns, --conllu, --limit.
void addDataOptions(CLI::App &command, DataSource &data);
/// --beams, --length-penalty, --max-length, --batch-tokens, --seed, --plain.
void addRunOptions(CLI::App &command, RunOptions &run);
void addMaskOption(CLI::App &command, std::string &mask);
void addOutputOptions(CLI::App &command, OutputArguments &output, bool withTable);
/// All of them.
void addCommonOptions(CLI::App &command, CommonArguments &arguments);

/// A mask as the user wrote it, checked against the model. Throws Failure.
HeadMask checkedMask(const std::string &text, const HeadLayout &layout);
/// Whether the data options fit together; `needsReference` for commands that measure. Throws Failure.
void checkData(const DataSource &data, bool needsReference);

} // namespace headscope::cli
