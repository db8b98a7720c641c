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
    double sampleRatio = 1;
    std::int64_t draws = 1;
    std::vector<std::string> referenceOn;
    std::vector<std::string> chooseOn;
};

void checkOptions(const Arguments &arguments)
{
    if (!arguments.chooseOn.empty() && !arguments.allButOne)
        throw Failure(usageError("--choose-on goes with --all-but-one: it chooses each layer's best head."));
    if (!arguments.referenceOn.empty() && arguments.replacement == "zero")
        throw Failure(usageError("--reference-on goes with --replace mean or resample."));
    if (!arguments.referenceOn.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("Only one of --choose-on and --reference-on can name a second data set."));
    if (arguments.draws > 1 && arguments.replacement != "resample")
        throw Failure(usageError("--draws goes with --replace resample."));
}

void run(const Arguments &arguments, Context &context)
{
    checkOptions(arguments);
    const Measuring measuring(arguments.common, context);
    AblationSpec spec;
    spec.run = arguments.common.run;
    spec.mask = measuring.mask();
    spec.allButOne = arguments.allButOne;
    spec.replacement = parseReplacement(arguments.replacement).valueOrThrow();
    spec.resamples = arguments.resamples;
    spec.precision = arguments.precision;
    spec.sampleRatio = arguments.sampleRatio;
    spec.draws = arguments.draws;
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
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand("ablate", "Score the model without each of its heads in turn");
    addCommonOptions(*command, arguments->common);
    command->add_flag("--all-but-one", arguments->allButOne, "Keep each head in turn as the only one of its layer")
        ->group(kGroup);
    command->add_option("--replace", arguments->replacement, "What stands for a removed head")
        ->check(CLI::IsMember({"zero", "mean", "resample"}))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--draws", arguments->draws, "For --replace resample: random examples that stand in for each, "
                                                     "one after the other; results are of all of them together")
        ->check(wholeNumber(1))
        ->capture_default_str()
        ->group(kGroup);
    addSecondDataOption(*command, "--reference-on", arguments->referenceOn,
                        "For --replace mean and resample: the data set that contexts are taken from");
    addSecondDataOption(*command, "--choose-on", arguments->chooseOn,
                        "For --all-but-one: choose each layer's best head on this data set, and report that head; the "
                        "result (\"result\": \"best-heads\") has a line per layer: chosen_delta, then what `ablate` says "
                        "of the head, and the whole row");
    command->add_option("--sample-ratio", arguments->sampleRatio,
                        "Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests "
                        "conservative")
        ->check(realNumber(1e-6, 1.0))
        ->capture_default_str()
        ->type_name("X")
        ->group(kGroup);
    command->add_option("--resamples", arguments->resamples, "Of the paired bootstrap, and trials of approximate "
                                                             "randomisation")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command->add_option("--precision", arguments->precision,
                        "Leave a head alone once its delta is known to ± X (half of the 95 % interval, in units of the "
                        "metric); 0: use every example for every head")
        ->check(realNumber(0))
        ->capture_default_str()
        ->type_name("X")
        ->group(kGroup);
    command->footer("The result: \"heads\", each with delta: the score without the head minus that of the whole model\n"
                    "(\"baseline\"), whatever the metric. Whether a delta above zero is a gain or a loss is said by\n"
                    "the baseline's \"better\": \"higher\" or, for loss and perplexity, \"lower\".");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
