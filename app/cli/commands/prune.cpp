#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    PruningSpec spec;
    std::vector<std::string> kinds;
    std::string reduction = "token";
    std::string normalization = "layer";
    std::string rounding = "down";
    std::vector<std::string> orderOn;
    std::string exportFolder;
    std::int64_t exportAt = -1;
};

/// The point to export: the one asked for, else the smallest model whose interval still holds the score of the
/// whole model.
const PruningPoint &exportPoint(const PruningCurve &curve, std::int64_t wanted)
{
    const auto &points = curve.points;
    if (wanted >= 0) {
        const auto found
            = std::find_if(points.begin(), points.end(), [&](const auto &point) { return point.pruned == wanted; });
        if (found != points.end())
            return *found;
        std::string known;
        for (const PruningPoint &point : points)
            known += (known.empty() ? "" : ", ") + std::to_string(point.pruned);
        throw Failure(usageError(fmt::format("--export-at {}: the curve has points at {} heads; choose one of them or "
                                             "another --step.",
                                             wanted, known)));
    }
    const PruningPoint *best = &points.front();
    for (const PruningPoint &point : points) {
        if (point.interval.high >= points.front().score)
            best = &point;
    }
    return *best;
}

void exportPruned(const Arguments &arguments, const PruningResult &result, Session &session, Context &context)
{
    const PruningPoint &point = exportPoint(result.curves.front(), arguments.exportAt);
    (void)session.exportMasked(point.mask, arguments.exportFolder, context.control()).valueOrThrow();
    context.note(fmt::format("wrote the model without {} heads ({} {:.4g}, whole model {:.4g}) to {}", point.pruned,
                             result.metric, point.score, result.curves.front().points.front().score,
                             arguments.exportFolder));
}

/// What a reader of the curves should know.
void noteDoubts(const PruningResult &result, const Session &session, Context &context)
{
    const HeadLayout &layout = session.card().layout;
    const HeadLayout::Block *cross = layout.block(HeadKind::Cross);
    bool flatters = false;
    bool blind = false;
    for (const PruningCurve &curve : result.curves) {
        flatters = flatters || curve.chosenOnEvaluated;
        for (const PruningPoint &point : curve.points)
            blind = blind
                    || (cross && point.mask.size() > 0 && std::ranges::all_of(layout.heads(), [&](const HeadRef &head) {
                            return head.kind != HeadKind::Cross || point.mask.isMasked(head);
                        }));
    }
    if (flatters)
        context.note("the order was chosen on the evaluated set itself, which flatters it; --order-on chooses it on "
                     "another");
    if (blind)
        context.note("where all cross heads are removed, the decoder sees nothing of the source");
}

void run(const Arguments &arguments, Context &context)
{
    PruningSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.reduction = parseReduction(arguments.reduction).valueOrThrow();
    spec.normalization = parseNormalization(arguments.normalization).valueOrThrow();
    for (const std::string &kind : arguments.kinds)
        spec.kinds.push_back(parseHeadKind(kind).valueOrThrow());
    spec.rounding = parseRounding(arguments.rounding).valueOrThrow();
    spec.orderOnOther = !arguments.orderOn.empty();
    const bool byData = spec.order == "importance" || spec.order == "ablation" || spec.order == "greedy";
    if (spec.orderOnOther && !byData)
        throw Failure(usageError("--order-on goes with --order importance, ablation or greedy: other orders need no "
                                 "data."));
    if (!arguments.exportFolder.empty() && spec.eachKind)
        throw Failure(usageError("--export needs one curve; --each-kind makes several."));
    if (!arguments.exportFolder.empty() && spec.order == "random")
        throw Failure(usageError("--export needs one order of heads; --order random makes many."));
    if (arguments.exportAt >= 0 && arguments.exportFolder.empty())
        throw Failure(usageError("--export-at goes with --export DIR."));
    if (spec.reestimate && spec.order != "importance")
        throw Failure(usageError("--reestimate goes with --order importance."));

    const Measuring measuring(arguments.common, context);
    measuring.loadSecond(arguments.orderOn, "--order-on");
    const auto result
        = measuring.write<PruningResult>([&](const JobControl &control, const Publish<PruningResult> &publish) {
              return measuring.session().prune(Domain::In, spec, control, publish);
          });
    noteDoubts(result, measuring.session(), context);
    if (!arguments.exportFolder.empty())
        exportPruned(arguments, result, measuring.session(), context);
}

void addAnalysisOptions(CLI::App &command, Arguments &arguments)
{
    constexpr const char *kGroup = "Analysis";
    PruningSpec &spec = arguments.spec;
    command
        .add_option("--order", spec.order, "importance, ablation, random, greedy (at every step the head whose removal "
                                           "leaves the best score, all others measured anew), or a file with the heads "
                                           "in the order of removal (or a JSON result of ablate or importance)")
        ->capture_default_str()
        ->type_name("NAME|FILE")
        ->group(kGroup);
    command.add_option("--step", spec.step, "Heads from point to point; 0 = a tenth of the candidates")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--rounding", arguments.rounding, "Of tenths of the candidates")
        ->check(CLI::IsMember({"down", "up"}))
        ->capture_default_str()
        ->group(kGroup);
    addSecondDataOption(command, "--order-on", arguments.orderOn,
                        "Choose the order on this data set, so that the curve is of data that had no say in it");
    command.add_flag("--reverse", spec.reverse, "The other way round: what seems most needed goes first")
        ->group(kGroup);
    command.add_option("--greedy-step", spec.greedyStep,
                       "For --order greedy: heads that go before all others are measured again")
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->group(kGroup);
    command
        .add_flag("--each-kind", spec.eachKind, "A curve for each kind of attention (of --kinds) by itself, with "
                                                "percentages of that kind; JSON: \"curves\"")
        ->group(kGroup);
    command.add_flag("--reestimate", spec.reestimate, "Estimate importance again before every step")->group(kGroup);
    command.add_option("--kinds", arguments.kinds, "Candidates: encoder,cross,decoder (default: all)")
        ->delimiter(',')
        ->type_name("KINDS")
        ->group(kGroup);
    command.add_option("--at-least", spec.atLeastPerLayer, "Heads never removed in a layer")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--random-orders", spec.randomOrders, "For --order random")
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--reduction", arguments.reduction, "Of importance")
        ->check(CLI::IsMember({"token", "example", "batch", "fisher"}))
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--normalize", arguments.normalization, "Of importance")
        ->check(CLI::IsMember({"layer", "global", "none"}))
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--resamples", spec.resamples, "Of the bootstrap intervals")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--export", arguments.exportFolder, "Write a model without the removed heads here")
        ->type_name("DIR")
        ->group("Output");
    command
        .add_option("--export-at", arguments.exportAt, "Number of heads removed in it; default: as many as leave the "
                                                       "whole model's score inside the interval")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N")
        ->group("Output");
}

} // namespace

void addPruneCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("prune", "Remove more and more heads and watch the score");
    CommonArguments &common = arguments->common;
    addModelOptions(*command, common.model);
    addDataOptions(*command, common.data);
    addRunOptions(*command, common.run);
    addOutputOptions(*command, common.output, true);
    addAnalysisOptions(*command, *arguments);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
