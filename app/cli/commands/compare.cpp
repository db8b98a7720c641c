#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/results/compare.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct CompareArguments
{
    std::string a;
    std::string b;
    std::uint64_t seed = 12345;
    bool bestHeads = false;
    OutputArguments output;
};

void run(const CompareArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    checkWritable(arguments.output, {arguments.a, arguments.b});
    const AnyResult a = readResult(arguments.a).valueOrThrow();
    const AnyResult b = readResult(arguments.b).valueOrThrow();
    if (arguments.bestHeads) {
        const auto choose = a.as<AblationResult>();
        const auto report = b.as<AblationResult>();
        if (!choose || !report)
            throw Failure(badInput("--best-heads needs two results of ablate --all-but-one."));
        writeResult(arguments.output, bestHeads(*choose, *report).valueOrThrow());
        return;
    }
    writeResult(arguments.output, compareResults(a, b, arguments.seed).valueOrThrow());
}

} // namespace

void addCompareCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App *command = app.add_subcommand(
        "compare", "Compare two results of one model, or of two checkpoints, head by head, B minus A");
    command->add_option("A", arguments->a, "JSON result of ablate or importance")->required()->type_name("FILE");
    command->add_option("B", arguments->b, "The other one: on other data, or of another checkpoint")
        ->required()
        ->type_name("FILE");
    command->add_flag(
        "--best-heads", arguments->bestHeads,
        "For two results of ablate --all-but-one: choose each layer's best head by A, and report it by B");
    command->add_option("--seed", arguments->seed, "Seed of the bootstrap interval")
        ->check(wholeNumber(0))
        ->capture_default_str();
    addOutputOptions(*command, arguments->output, true);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
