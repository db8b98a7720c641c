#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    ImportanceSpec spec;
};

void run(const Arguments &arguments, Context &context)
{
    const Measuring measuring(arguments.common, context);
    ImportanceSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    measuring.write<ImportanceResult>([&](const JobControl &control, const Publish<ImportanceResult> &publish) {
        return measuring.session().importance(Domain::In, spec, control, publish);
    });
}

} // namespace

void addImportanceCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("importance", "Estimate each head's importance from gradients");
    addCommonOptions(*command, arguments->common);
    addSpecOptions(*command, arguments->spec);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
