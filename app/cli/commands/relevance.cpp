#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"
#include "core/results/relevancejson.h"

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
    std::string rule = "alpha-beta";
};

void run(const Arguments &arguments, Context &context)
{
    RelevanceSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.rule = parseRelevanceRule(arguments.rule).valueOrThrow();
    const Measuring measuring(arguments.common, context, {.references = false});
    spec.mask = measuring.mask();
    checkOwnOutput(spec.ownOutput, measuring.session().card());
    const auto run = [&](const JobControl &control, const Publish<RelevanceResult> &publish) {
        return measuring.session().relevance(Domain::In, spec, control, publish);
    };
    const auto result = measuring.write<RelevanceResult>(run);
    if (!(std::abs(result.conserved - 1) <= kConserved))
        context.note(fmt::format("on this model {} does not conserve relevance: of the 1 that it starts from, {:.2f} "
                                 "arrives at the embeddings (mean; \"conserved\"). Shares of heads are of what is on "
                                 "its way; another --rule may lose less",
                                 arguments.rule, result.conserved));
}

} // namespace

void addRelevanceCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand(
        "relevance", "Trace what the model says back to its heads and its input: layer-wise relevance propagation");
    addCommonOptions(*command, arguments->common);
    RelevanceSpec &spec = arguments->spec;
    command
        ->add_option("--rule", arguments->rule,
                     "alpha-beta: Voita et al.'s code; epsilon: Ding et al.; attnlrp: Achtibat et al.; cp-lrp: Ali et "
                     "al.")
        ->check(CLI::IsMember({"alpha-beta", "epsilon", "attnlrp", "cp-lrp"}))
        ->capture_default_str()
        ->group(kGroup);
    command->add_flag("--own-output", spec.ownOutput,
                      "The decoder says the model's own greedy output, not the references (without references always)")
        ->group(kGroup);
    CLI::Option *absolute = command->add_flag("--absolute", spec.absolute,
                                              "Heads have shares of the layer's absolute relevances")
                                ->group(kGroup);
    command->add_flag("--signed", spec.signedShares,
                      "They have shares of the sum, even by rules that give negative ones too")
        ->excludes(absolute)
        ->group(kGroup);
    command->add_flag("--attention-constant", spec.attentionConstant,
                      "alpha-beta: nothing flows through queries and keys")
        ->group(kGroup);
    command->add_flag("--sentences", spec.sentences,
                      "Keep the relevances of every example, and every token's contribution")
        ->group(kGroup);
    command->footer(
        "The result: \"heads\" with relevance (the head's share of its layer, mean over steps) and stderr over\n"
        "examples; \"contributions\" of translation models by target position (from 1; 0 has no prefix but the\n"
        "start token): source (its share; the rest is the prefix's), source_entropy, prefix_entropy;\n"
        "\"conserved\" and \"largest_deviation\": the sum of relevances at the embeddings, which was 1 at the\n"
        "start. \"sentences\": heads, source and prefix (a row per step).");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
