#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"

namespace headscope::cli {

namespace {

struct Arguments : AnalysisArguments<AblationSpec>
{
    std::vector<std::string> chooseOn;
};

void checkOptions(const Arguments &arguments)
{
    if (!arguments.chooseOn.empty() && !arguments.spec.allButOne)
        throw Failure(usageError("--choose-on goes with --all-but-one: it chooses each layer's best head."));
    if (!arguments.second.empty() && arguments.spec.replacement == Replacement::Zero)
        throw Failure(usageError("--reference-on goes with --replace mean or resample."));
    if (!arguments.second.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("Only one of --choose-on and --reference-on can name a second data set."));
    if (arguments.spec.draws > 1 && arguments.spec.replacement != Replacement::Resample)
        throw Failure(usageError("--draws goes with --replace resample."));
}

void run(const Arguments &arguments, Context &context)
{
    checkOptions(arguments);
    const Measuring measuring(arguments.common, context);
    const AblationSpec spec = askedSpec(arguments, measuring);
    measuring.loadSecond(arguments.chooseOn, AnalysisOf<BestHeadsSpec>::kSecond.option);
    if (spec.replacement != Replacement::Zero && !spec.referenceFromOther)
        context.note("what stands for a head is taken from the evaluated set itself; --reference-on takes it from "
                     "another");
    if (arguments.chooseOn.empty())
        (void)runAndWrite(spec, measuring);
    else
        (void)runAndWrite(BestHeadsSpec{spec}, measuring);
}

} // namespace

void addAblateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    addSecondDataOption(*command, AnalysisOf<BestHeadsSpec>::kSecond, arguments->chooseOn);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
