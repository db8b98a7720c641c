#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    SearchSpec spec;
    std::vector<std::string> kinds;
    std::string rounding = "down";
    std::vector<std::string> searchOn;
};

void run(const Arguments &arguments, Context &context)
{
    SearchSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.rounding = parseRounding(arguments.rounding).valueOrThrow();
    for (const std::string &kind : arguments.kinds)
        spec.kinds.push_back(parseHeadKind(kind).valueOrThrow());
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
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand(
        "search", "Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)");
    CommonArguments &common = arguments->common;
    addModelOptions(*command, common.model);
    addDataOptions(*command, common.data);
    addRunOptions(*command, common.run);
    addOutputOptions(*command, common.output, true);
    addSecondDataOption(*command, "--search-on", arguments->searchOn,
                        "Take gradients and factors from this data set, training data for instance");
    SearchSpec &spec = arguments->spec;
    command->add_option("--kinds", arguments->kinds, "Candidates: encoder,cross,decoder (default: all)")
        ->delimiter(',')
        ->type_name("KINDS")
        ->group(kGroup);
    command->add_option("--step", spec.step, "Heads from budget to budget; 0 = a tenth of the candidates")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--rounding", arguments->rounding, "Of tenths of the candidates")
        ->check(CLI::IsMember({"down", "up"}))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--samples", spec.samples, "Examples that gradients and factors are taken from; 0 = all")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--mini-batch", spec.miniBatch, "Examples per gradient")
        ->check(wholeNumber(1))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--resamples", spec.resamples, "Of the bootstrap intervals")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command->footer("The result: \"fisher\" (a value per head) and \"points\", one per budget, with pruned, fraction,\n"
                    "attention_macs (what is left of attention's multiply-adds) and three masks, each on top of the one\n"
                    "before: \"search\", \"rearranged\", \"rescaled\", with mask, objective (block Fisher information that is\n"
                    "lost), score, delta, ci_low, ci_high; \"rescaled\" has \"scales\", a factor per head that stays.\n"
                    "--format csv: a line per budget and mask.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
