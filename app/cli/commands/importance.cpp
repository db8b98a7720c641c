#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    std::string reduction = "token";
    std::string normalization = "layer";
};

void run(const Arguments &arguments, Context &context)
{
    const Measuring measuring(arguments.common, context);
    ImportanceSpec spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    spec.reduction = parseReduction(arguments.reduction).valueOrThrow();
    spec.normalization = parseNormalization(arguments.normalization).valueOrThrow();
    measuring.write<ImportanceResult>([&](const JobControl &control, const Publish<ImportanceResult> &publish) {
        return measuring.session().importance(Domain::In, spec, control, publish);
    });
}

} // namespace

void addImportanceCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand("importance", "Estimate each head's importance from gradients");
    addCommonOptions(*command, arguments->common);
    command->add_option("--reduction", arguments->reduction, "What the absolute value is taken of")
        ->check(CLI::IsMember({"token", "example", "batch", "fisher"}))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--normalize", arguments->normalization, "Divide by the norm of each layer, or of all heads")
        ->check(CLI::IsMember({"layer", "global", "none"}))
        ->capture_default_str()
        ->group(kGroup);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
