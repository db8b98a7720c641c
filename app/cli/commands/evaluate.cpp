#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    std::optional<std::string> against;
    EvaluationSpec spec;
};

void run(const Arguments &arguments, Context &context)
{
    if (arguments.against && arguments.spec.resamples == 0)
        throw Failure(usageError("--against compares by a bootstrap: it needs --resamples."));
    const Measuring measuring(arguments.common, context);
    EvaluationSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    if (arguments.against)
        spec.against = measuring.maskOf(*arguments.against, "--against");
    measuring.write<EvaluationResult>([&](const JobControl &control, const Publish<EvaluationResult> &publish) {
        return measuring.session().evaluate(Domain::In, spec, control, publish);
    });
}

} // namespace

void addEvaluateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("evaluate", "Score the model on a data set");
    addCommonOptions(*command, arguments->common);
    command
        ->add_option("--against", arguments->against, "Compare with the model without these heads instead (\"\": with "
                                                      "the whole model): paired bootstrap, and McNemar's exact test "
                                                      "where outputs are right or wrong")
        ->type_name("HEADS")
        ->group("Analysis");
    addSpecOptions(*command, arguments->spec);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
