#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"
#include "core/results/json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>

namespace headscope::cli {

namespace {

/// How much relevance may get lost without a word.
constexpr double kConserved = 0.1;

struct Arguments
{
    CommonArguments common;
    RelevanceSpec spec;
};

void run(const Arguments &arguments, Context &context)
{
    RelevanceSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    const Measuring measuring(arguments.common, context, {.references = false});
    spec.mask = measuring.mask();
    checkOwnOutput(spec.ownOutput, measuring.session().card());
    const auto run = [&](const JobControl &control, const Publish<RelevanceResult> &publish) {
        return measuring.session().relevance(Domain::In, spec, control, publish);
    };
    const auto result = measuring.write<RelevanceResult>(run);
    if (!(std::abs(result.conserved - 1) <= kConserved))
        context.note(fmt::format("on this model {} does not conserve relevance: of the 1 that it starts from, {:.2f} arrives "
                                 "at the embeddings (mean; \"conserved\"). Shares of heads are of what is on its way; another "
                                 "--rule may lose less",
                                 toText(spec.rule), result.conserved));
}

} // namespace

void addRelevanceCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand(
        "relevance", "Trace what the model says back to its heads and its input: layer-wise relevance propagation");
    addCommonOptions(*command, arguments->common);
    addSpecOptions(*command, arguments->spec);
    command->get_option("--signed")->excludes(command->get_option("--absolute"));
    command->footer(
        "The result: \"heads\" with relevance (the head's share of its layer, mean over steps) and stderr over\n"
        "examples; \"contributions\" of translation models by target position (from 1; 0 has no prefix but the\n"
        "start token): source (its share; the rest is the prefix's), source_entropy, prefix_entropy;\n"
        "\"conserved\" and \"largest_deviation\": the sum of relevances at the embeddings, which was 1 at the\n"
        "start. \"sentences\": heads, source and prefix (a row per step).");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
