#include "app/cli/clioptions.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "core/exporting/attentionpattern.h"
#include "core/results/json.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace headscope::cli {

namespace {

struct PatternArguments
{
    std::string result;
    bool config = false;
    OutputArguments output;
};

void run(const PatternArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    checkWritable(arguments.output, {arguments.result});
    const auto sweep = readResult(arguments.result).valueOrThrow().as<AblationResult>();
    if (!sweep)
        throw Failure(badInput(arguments.result + " is no result of ablate."));
    const std::string pattern = attentionPattern(*sweep).valueOrThrow();
    writeText(arguments.output, arguments.config ? attentionPatternConfig(*sweep) : pattern);
}

} // namespace

void addPatternCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<PatternArguments>();
    CLI::App *command
        = app.add_subcommand("pattern", "Write what windows cost key groups as an attention pattern (DuoAttention)");
    command->add_option("RESULT", arguments->result, "JSON result of ablate --replace window --by key-group")
        ->required()
        ->type_name("FILE");
    command->add_flag("--config", arguments->config,
                      "Write the pattern's config.json instead: how many keys streaming heads see");
    addOutputOptions(*command, arguments->output, false);
    command->footer(
        "DuoAttention's load_attn_pattern() reads a folder with both files, full_attention_heads.tsv and config.json: a\n"
        "line for each layer, a number from 0 to 1 for each key head; those with the largest keep all keys. 1 is the group\n"
        "whose window costs the score most, 0 are those whose window costs nothing.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
