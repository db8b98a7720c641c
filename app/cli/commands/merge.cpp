#include "app/cli/commands/commands.h"

#include "app/cli/context.h"
#include "core/session/sweeps.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct MergeArguments
{
    std::vector<std::string> shards;
    std::string out;
    bool quiet = false;
};

void run(const MergeArguments &arguments, Context &context)
{
    context.setQuiet(arguments.quiet);
    (void)joinSweeps({arguments.shards.begin(), arguments.shards.end()}, arguments.out).valueOrThrow();
    context.note(fmt::format("joined {} journals in {}", arguments.shards.size(), arguments.out));
}

} // namespace

void addMergeCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<MergeArguments>();
    CLI::App *command = app.add_subcommand("merge", "Join the journals of a sweep's shards");
    command
        ->add_option("JOURNAL", arguments->shards,
                     "Journals of all shards (ablate --shard K/N --journal FILE), in any order")
        ->required()
        ->check(CLI::ExistingFile);
    command
        ->add_option("--out", arguments->out,
                     "New journal of the whole sweep, from which ablate --journal "
                     "computes the result")
        ->required();
    command->add_flag("--quiet", arguments->quiet, "No notes");
    command->footer(
        "The merged journal gives exactly the result of a single run. Missing shards and files of different\n"
        "sweeps are reported by name. See also: ablate --shard.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
