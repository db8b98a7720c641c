#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"

namespace headscope::cli {

namespace {

struct EvaluateArguments : AnalysisArguments<EvaluationSpec>
{
    std::optional<std::string> against;
};

void run(const EvaluateArguments &arguments, Context &context)
{
    if (arguments.against && arguments.spec.resamples == 0)
        throw Failure(usageError("--against compares by a bootstrap: it needs --resamples."));
    const Measuring measuring(arguments.common, context);
    EvaluationSpec spec = requestedSpec(arguments, measuring);
    if (arguments.against)
        spec.against = measuring.maskOf(*arguments.against, "--against");
    (void)runAndWrite(spec, measuring);
}

} // namespace

void addEvaluateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<EvaluateArguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    command
        ->add_option("--against", arguments->against,
                     "Compare with the model without these heads instead (\"\": with "
                     "the full model): paired bootstrap, and McNemar's exact test "
                     "where outputs are right or wrong")
        ->type_name("HEADS")
        ->group("Analysis");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
