#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"
#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "core/results/json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct RolesArguments : AnalysisArguments<RolesSpec>
{
    RoleThresholds thresholds;
    std::vector<std::string> relations;
    std::string windowed; ///< a result of ablate --replace window
    bool bestHeads = false;
    bool offsets = false;
    bool accuracies = false;
};

/// The sweep that tells which heads need distant keys; null: none was named.
std::shared_ptr<const AblationResult> windowedResult(const RolesArguments &arguments)
{
    if (arguments.windowed.empty())
        return nullptr;
    const auto sweep = readResult(arguments.windowed).valueOrThrow().as<AblationResult>();
    if (!sweep || sweep->window == 0 || sweep->allButOne || sweep->manifest.partial)
        throw Failure(badInput(arguments.windowed + " is no complete result of ablate --replace window."));
    const KeyWindow window = windowOf(arguments.spec);
    if (sweep->sinks != window.sinks || sweep->window != window.neighbours)
        throw Failure(usageError(fmt::format("{} is of --sinks {} --window {}: give roles the same.",
                                             arguments.windowed, sweep->sinks, sweep->window)));
    return sweep;
}

void run(const RolesArguments &arguments, Context &context)
{
    const RolesSpec &asked = arguments.spec;
    (void)windowedResult(arguments); // before anything takes time
    if (!asked.alignments.empty() && arguments.common.data.sample > 0)
        throw Failure(usageError("--alignments has one line per row of the data: leave out --sample."));
    const Measuring measuring(arguments.common, context,
                              requirementsOf(arguments, {asked.corpus, asked.frequencies, asked.alignments}));
    const RolesSpec spec = requestedSpec(arguments, measuring);
    RoleThresholds thresholds = arguments.thresholds;
    if (!arguments.relations.empty())
        thresholds.relations = arguments.relations;
    if (thresholds.relations == std::vector<std::string>{"all"})
        thresholds.relations.clear();
    const std::shared_ptr<const AblationResult> sweep = windowedResult(arguments);
    const WindowedSweep windowed{sweep.get(), {}};
    const auto write = [&](const RolesResult &result, bool partial) {
        const auto csv = [&] {
            return arguments.bestHeads  ? relationsCsv(result)
                 : arguments.offsets    ? relationOffsetsCsv(result)
                 : arguments.accuracies ? relationHeadsCsv(result)
                                        : toCsv(result, thresholds, windowed);
        };
        writeForms(measuring.output(), {[&] { return toJson(result, thresholds, windowed); }, csv, &result.manifest},
                   partial);
    };
    const RolesResult result = runKeepingPartial<RolesResult>(
        context,
        [&](const Publish<RolesResult> &publish) {
            return measuring.session().run(Domain::In, spec, context.control(), publish);
        },
        write);
    write(result, false);
    measuring.session().release({result.manifest.key()}); // it is written down
}

} // namespace

void addRolesCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<RolesArguments>();
    constexpr const char *kThresholds = "Thresholds of labels";
    CLI::App *command = addAnalysis(app, *arguments);
    const auto addThreshold = [&](const char *option, double &threshold, const char *help) {
        command->add_option(option, threshold, help)
            ->check(realNumber(0, 1))
            ->capture_default_str()
            ->group(kThresholds);
    };
    addThreshold("--positional", arguments->thresholds.positional, "Share of largest weights at one offset");
    addThreshold("--syntactic-margin", arguments->thresholds.syntacticMargin, "Accuracy above the best fixed offset");
    addThreshold("--rare-word", arguments->thresholds.rareWord, "Share of largest weights on the two rarest tokens");
    addThreshold("--pattern", arguments->thresholds.pattern, "Attention mass of the other patterns");
    command->add_option("--instances", arguments->thresholds.instances, "Fewer instances do not support a label")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->type_name("N")
        ->group(kThresholds);
    command
        ->add_option("--relations", arguments->relations,
                     "Relations that make a head syntactic, or all; default: nsubj,obj,amod,advmod")
        ->delimiter(',')
        ->type_name("R,...")
        ->group(kThresholds);
    command
        ->add_option("--windowed", arguments->windowed,
                     "JSON result of `ablate --replace window` with the same --sinks and --window: heads that lose "
                     "significantly without distant keys are labelled retrieval")
        ->type_name("FILE")
        ->group(kThresholds);
    CLI::Option *best = command->add_flag(
        "--best-heads", arguments->bestHeads,
        "With --format csv: a line for every dependency relation, with its best head beside the best fixed offset, "
        "instead of one for every head (JSON has both)");
    CLI::Option *offsets
        = command->add_flag("--offsets", arguments->offsets,
                            "With --format csv: where the partners of words lie, a line for every relation and offset");
    command
        ->add_flag("--accuracies", arguments->accuracies,
                   "With --format csv: how often each head finds the partner, a line for every head and relation")
        ->excludes(best)
        ->excludes(offsets);
    best->excludes(offsets);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
