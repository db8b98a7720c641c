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
    command
        ->add_option("--reduction", arguments->reduction,
                     "What the absolute value is taken of; batch and fisher depend on how --seed and --batch-tokens put "
                     "examples together")
        ->check(CLI::IsMember({"token", "example", "batch", "fisher"}))
        ->capture_default_str()
        ->group(kGroup);
    command
        ->add_option("--normalize", arguments->normalization,
                     "layer: divide by the l2 norm of each layer; global: by that of all heads; bertology: by layer, "
                     "then map all heads to 0-1, as Hugging Face's script does")
        ->check(CLI::IsMember({"layer", "global", "bertology", "none"}))
        ->capture_default_str()
        ->group(kGroup);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
