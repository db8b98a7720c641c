#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"
#include "core/formats/checkpointfolders.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

using Arguments = AnalysisArguments<DynamicsSpec>;

void run(Arguments arguments, Context &context)
{
    std::string &model = arguments.common.model.folder;
    std::vector<std::string> checkpoints;
    for (const CheckpointFolder &one : checkpointFolders(arguments.spec.runs).valueOrThrow())
        checkpoints.push_back(one.folder.string());
    if (model.empty())
        model = checkpoints.back();
    const Measuring measuring(arguments.common, context, requirementsOf(arguments, std::move(checkpoints)));
    (void)runAndWrite(requestedSpec(arguments, measuring), measuring);
}

} // namespace

void addDynamicsCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    command->get_option("--model")->required(false);
    command->get_option("--runs")->required()->check(CLI::ExistingDirectory);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
