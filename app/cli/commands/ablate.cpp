#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    AblationSpec spec;
    std::vector<std::string> referenceOn;
    std::vector<std::string> chooseOn;
};

void checkOptions(const Arguments &arguments)
{
    if (!arguments.chooseOn.empty() && !arguments.spec.allButOne)
        throw Failure(usageError("--choose-on goes with --all-but-one: it chooses each layer's best head."));
    if (!arguments.referenceOn.empty() && arguments.spec.replacement == Replacement::Zero)
        throw Failure(usageError("--reference-on goes with --replace mean or resample."));
    if (!arguments.referenceOn.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("Only one of --choose-on and --reference-on can name a second data set."));
    if (arguments.spec.draws > 1 && arguments.spec.replacement != Replacement::Resample)
        throw Failure(usageError("--draws goes with --replace resample."));
}

void run(const Arguments &arguments, Context &context)
{
    checkOptions(arguments);
    const Measuring measuring(arguments.common, context);
    AblationSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    spec.referenceFromOther = !arguments.referenceOn.empty();
    measuring.loadSecond(arguments.referenceOn, "--reference-on");
    measuring.loadSecond(arguments.chooseOn, "--choose-on");
    if (spec.replacement != Replacement::Zero && arguments.referenceOn.empty())
        context.note("what stands for a head is taken from the evaluated set itself; --reference-on takes it from "
                     "another");
    if (!arguments.chooseOn.empty()) {
        measuring.writeWhole<BestHeadsResult>([&](const JobControl &control) {
            return measuring.session().bestHeads(Domain::In, spec, control);
        });
        return;
    }
    measuring.write<AblationResult>([&](const JobControl &control, const Publish<AblationResult> &publish) {
        return measuring.session().ablate(Domain::In, spec, control, publish);
    });
}

} // namespace

void addAblateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("ablate", "Score the model without each of its heads in turn");
    addCommonOptions(*command, arguments->common);
    addSpecOptions(*command, arguments->spec);
    addSecondDataOption(*command, "--reference-on", arguments->referenceOn,
                        "For --replace mean and resample: the data set that contexts are taken from");
    addSecondDataOption(*command, "--choose-on", arguments->chooseOn,
                        "For --all-but-one: choose each layer's best head on this data set, and report that head; the "
                        "result (\"result\": \"best-heads\") has a line per layer: chosen_delta, then what `ablate` says "
                        "of the head, and the whole row");
    command->footer("The result: \"heads\", each with delta: the score without the head minus that of the whole model\n"
                    "(\"baseline\"), whatever the metric. Whether a delta above zero is a gain or a loss is said by\n"
                    "the baseline's \"better\": \"higher\" or, for loss and perplexity, \"lower\".");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
