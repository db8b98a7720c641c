#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    bool allButOne = false;
    std::string replacement = "zero";
    std::int64_t resamples = 1000;
    double precision = 0;
};

void run(const Arguments &arguments, Context &context)
{
    const Measuring measuring(arguments.common, context);
    AblationSpec spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    spec.allButOne = arguments.allButOne;
    spec.replacement = parseReplacement(arguments.replacement).valueOrThrow();
    spec.resamples = arguments.resamples;
    spec.precision = arguments.precision;
    measuring.write<AblationResult>([&](const JobControl &control, const Publish<AblationResult> &publish) {
        return measuring.session().ablate(Domain::In, spec, control, publish);
    });
}

} // namespace

void addAblateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand("ablate", "Score the model without each of its heads in turn");
    addCommonOptions(*command, arguments->common);
    command->add_flag("--all-but-one", arguments->allButOne, "Keep each head in turn as the only one of its layer")
        ->group(kGroup);
    command->add_option("--replace", arguments->replacement, "What stands for a removed head")
        ->check(CLI::IsMember({"zero", "mean", "resample"}))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--resamples", arguments->resamples, "Of the paired bootstrap")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--precision", arguments->precision,
                        "Leave a head alone once its delta is known to ± X (half of the 95 % interval, in units of the "
                        "metric); 0: use every example for every head")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->type_name("X")
        ->group(kGroup);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
