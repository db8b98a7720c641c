#include "app/cli/commands/commands.h"

#include "app/cli/output.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    std::int64_t resamples = 1000;
};

void run(const Arguments &arguments, Context &context)
{
    const CommonArguments &common = arguments.common;
    context.setQuiet(common.output.quiet);
    checkData(common.data, true);
    checkWritable(common.output);
    const auto session = context.open(common.model);
    EvaluationSpec spec;
    spec.run = common.run;
    spec.mask = checkedMask(common.mask, session->card().layout);
    spec.resamples = arguments.resamples;
    context.load(*session, common.data);
    runAndWrite<EvaluationResult>(context, common.output, [&](const Publish<EvaluationResult> &publish) {
        return session->evaluate(Domain::In, spec, context.control(), publish);
    });
}

} // namespace

void addEvaluateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("evaluate", "Score the model on a data set");
    addCommonOptions(*command, arguments->common);
    command->add_option("--resamples", arguments->resamples, "Of the bootstrap interval; 0 = no interval")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group("Analysis");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
