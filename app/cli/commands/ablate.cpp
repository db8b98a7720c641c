#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace headscope::cli {

namespace {

struct Arguments : AnalysisArguments<AblationSpec>
{
    std::vector<std::string> chooseOn;
    std::string shard;
};

/// "2/8"
Shard parseShard(const std::string &text)
{
    Shard shard;
    const char *end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, shard.index);
    const bool hasBar = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
    const auto second = hasBar ? std::from_chars(first.ptr + 1, end, shard.count) : std::from_chars_result{end, std::errc::invalid_argument};
    if (second.ec != std::errc() || second.ptr != end || shard.index < 1 || shard.index > shard.count)
        throw Failure(usageError("--shard: \"" + text + "\" is no part of a sweep. Write 2/8 for the second of eight."));
    --shard.index;
    return shard;
}

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
    if (!arguments.spec.journal.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("--journal keeps one sweep, and --choose-on makes two."));
}

/// A part of the sweep goes into its journal; there is no result until all parts are joined.
void runShard(const AblationSpec &spec, const Measuring &measuring)
{
    const AblationResult part
        = measuring.session().run(Domain::In, spec, measuring.context().control(), {}).valueOrThrow();
    measuring.context().note(fmt::format("shard {} of {} is done: {} examples, in {}. When all are: headscope-cli merge, then the same "
                                         "ablate with --journal of the merged file",
                                         spec.shard.index + 1, spec.shard.count, part.examples, spec.journal));
}

void run(const Arguments &arguments, Context &context)
{
    checkOptions(arguments);
    const Measuring measuring(arguments.common, context);
    AblationSpec spec = askedSpec(arguments, measuring);
    if (!arguments.shard.empty())
        spec.shard = parseShard(arguments.shard);
    measuring.loadSecond(arguments.chooseOn, AnalysisOf<BestHeadsSpec>::kSecond.option);
    if (spec.replacement != Replacement::Zero && !spec.referenceFromOther)
        context.note("what stands for a head is taken from the evaluated set itself; --reference-on takes it from "
                     "another");
    if (!spec.shard.isAll())
        runShard(spec, measuring);
    else if (arguments.chooseOn.empty())
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
    command->add_option("--journal", arguments->spec.journal,
                        "Keep what is done in FILE as the sweep goes, and go on from there: after a stop or a kill, or with what "
                        "merge has joined")
        ->option_text("FILE");
    command->add_option("--shard", arguments->shard,
                        "Compute only this part of the sweep, into its journal: 2/8 is the second of eight, each of which may run "
                        "on another machine")
        ->option_text("K/N");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
