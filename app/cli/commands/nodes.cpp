#include "app/cli/clioptions.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "core/session/nodefile.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace headscope::cli {

namespace {

struct NodesArguments
{
    std::string result;
    std::string model;
    CircuitOrder by = CircuitOrder::Patching;
    OutputArguments output;
};

void run(const NodesArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    checkWritable(arguments.output, {arguments.result});
    const auto patch = readResult(arguments.result).valueOrThrow().as<PatchResult>();
    if (!patch)
        throw Failure(badInput(arguments.result + " is no result of patch."));
    const std::string &model = arguments.model.empty() ? patch->manifest.model : arguments.model;
    writeText(arguments.output, nodeFile(*patch, arguments.by, model).valueOrThrow());
}

} // namespace

void addNodesCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<NodesArguments>();
    CLI::App *command = app.add_subcommand("nodes", "Write the effects of heads as nodes of a graph (MIB benchmark)");
    command->add_option("RESULT", arguments->result, "JSON result of patch")->required()->type_name("FILE");
    command->add_option("--model", arguments->model, "Folder of the model; default: the one that the result names")
        ->type_name("DIR");
    CliOptions(*command, "Options").choice("by", arguments->by, "Scores of the nodes");
    addOutputOptions(*command, arguments->output, false);
    command->footer(
        "The file is JSON as EAP-IG's Graph.from_json() reads it: \"cfg\", \"nodes\" (a0.h0, m0, ..., each head with a score) and\n"
        "no edges. The benchmark's run_evaluation.py takes it with --level node; its CPR orders heads by their scores, its\n"
        "CMD by absolute scores. What has no score (input, feed-forward layers) stays in every circuit.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
