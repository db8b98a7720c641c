#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    SearchSpec spec;
    std::vector<std::string> searchOn;
};

void run(const Arguments &arguments, Context &context)
{
    SearchSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.searchOnOther = !arguments.searchOn.empty();
    const Measuring measuring(arguments.common, context);
    measuring.loadSecond(arguments.searchOn, "--search-on");
    measuring.write<SearchResult>([&](const JobControl &control, const Publish<SearchResult> &publish) {
        return measuring.session().search(Domain::In, spec, control, publish);
    });
}

} // namespace

void addSearchCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand(
        "search", "Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)");
    CommonArguments &common = arguments->common;
    addModelOptions(*command, common.model);
    addDataOptions(*command, common.data);
    addRunOptions(*command, common.run);
    addOutputOptions(*command, common.output, true);
    addSecondDataOption(*command, "--search-on", arguments->searchOn,
                        "Take gradients and factors from this data set, training data for instance");
    addSpecOptions(*command, arguments->spec);
    command->footer("The result: \"fisher\" (a value per head) and \"points\", one per budget, with pruned, fraction,\n"
                    "attention_macs (what is left of attention's multiply-adds) and three masks, each on top of the one\n"
                    "before: \"search\", \"rearranged\", \"rescaled\", with mask, objective (block Fisher information that is\n"
                    "lost), score, delta, ci_low, ci_high; \"rescaled\" has \"scales\", a factor per head that stays.\n"
                    "--format csv: a line per budget and mask.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
