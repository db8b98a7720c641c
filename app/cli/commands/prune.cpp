#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/margin.h"
#include "core/analysis/pruningorder.h"
#include "core/exporting/removabletext.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace headscope::cli {

namespace {

struct PruneArguments : AnalysisArguments<PruningSpec>
{
    std::string exportFolder;
    std::int64_t exportAt = -1;
    std::optional<std::string> exportMask;
    ExportForm exportForm = ExportForm::Full;
    bool compensate = false;
    double margin = 100 * kUsualMargin;
};

/// The point to export: the one asked for, else the smallest model that loses less than the margin.
const PruningPoint &exportPoint(const PruningResult &result, const SignificanceRule &rule, std::int64_t wanted)
{
    const PruningCurve &curve = result.curves.front();
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
    const RemovableHeads answer = removableHeads(lossesOf(result, curve), rule);
    const auto found = std::ranges::find(points, answer.withinMargin.value_or(0), &PruningPoint::pruned);
    if (answer.withinMargin.value_or(0) == 0 || found == points.end())
        throw Failure(usageError("--export: how many heads can go? " + removableText(answer, result.metric, rule.margin)
                                 + ". Say how many by --export-at, or accept a larger loss by --margin."));
    return *found;
}

/// Writes the model without the heads of `mask`, and says what it is.
PrunedCard writePruned(const PruneArguments &arguments, const HeadMask &mask, Session &session, Context &context)
{
    const ExportSpec spec{mask, arguments.exportForm, arguments.compensate ? std::optional(Domain::In) : std::nullopt};
    const PrunedCard card = session.exportPruned(spec, arguments.exportFolder, context.control()).valueOrThrow();
    for (const std::string &warning : card.warnings)
        context.note(warning);
    return card;
}

void exportFromCurve(const PruneArguments &arguments, const PruningResult &result, Session &session, Context &context)
{
    const PruningPoint &point = exportPoint(result, ruleOf(arguments.margin), arguments.exportAt);
    (void)writePruned(arguments, point.mask, session, context);
    context.note(fmt::format("wrote the model without {} heads ({} {:.4g}, full model {:.4g}{}) to {}", point.pruned,
                             result.metric, point.score, result.curves.front().points.front().score,
                             arguments.compensate ? ", without compensation" : "", arguments.exportFolder));
}

/// Heads chosen by the user: no curve, and data only for compensation.
void exportMask(const PruneArguments &arguments, Context &context)
{
    const CommonArguments &common = arguments.common;
    context.setQuiet(common.output.quiet);
    if (common.output.isCsv())
        throw Failure(usageError("--export-mask prints no table: leave out --format csv."));
    checkWritable(common.output, inputsOf(common));
    checkNewFolder(arguments.exportFolder, "--export");
    if (arguments.compensate)
        checkData(common.data, false);
    const auto session = context.open(common.model);
    const HeadMask mask = checkedMask(*arguments.exportMask, session->card().layout, "--export-mask");
    if (arguments.compensate)
        context.load(*session, withTaskPrefix(drawn(common.data, common.run), common.run, session->card()));
    const PrunedCard card = writePruned(arguments, mask, *session, context);
    const bool small = arguments.exportForm == ExportForm::Small;
    const Json json{{"result", "export"},
                    {"model", session->card().folder.string()},
                    {"folder", arguments.exportFolder},
                    {"form", toText(arguments.exportForm)},
                    {"opens_in", small ? card.smallOpensIn : card.fullOpensIn},
                    {"mask", toText(mask)},
                    {"compensated", arguments.compensate},
                    {"heads", {{"original", card.heads}, {"left", card.headsLeft}}},
                    {"parameters", {{"original", card.parameters}, {"left", card.parametersLeft}}},
                    {"warnings", card.warnings}};
    writeText(common.output, jsonText(json) + "\n");
}

/// Remarks for a reader of the curves.
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
        context.note("the order was chosen on the evaluated set itself, so scores are too optimistic; --order-on "
                     "chooses it on another");
    if (blind)
        context.note("with all cross-attention heads removed, the decoder cannot see the source");
}

/// How many heads can go, of every curve that has one order.
void noteAnswers(const PruningResult &result, const SignificanceRule &rule, Context &context)
{
    for (const PruningCurve &curve : result.curves) {
        if (curve.randomOrders > 0)
            continue;
        const std::string kind = result.curves.size() > 1 && curve.kinds.size() == 1
                                   ? fmt::format("{}: ", headKindName(curve.kinds.front()))
                                   : std::string();
        context.note(kind + removableText(removableHeads(lossesOf(result, curve), rule), result.metric, rule.margin));
    }
}

void checkOptions(const PruneArguments &arguments)
{
    const PruningSpec &spec = arguments.spec;
    if (!arguments.second.empty() && !isChosenByData(spec))
        throw Failure(
            usageError("--order-on needs an order that rests on data: random ones and those of files do not."));
    if (!arguments.exportFolder.empty() && arguments.common.dryRun)
        throw Failure(usageError("--dry-run writes no model: leave out --export."));
    if (!arguments.exportFolder.empty() && spec.eachKind)
        throw Failure(usageError("--export needs one curve; --each-kind makes several."));
    if (!arguments.exportFolder.empty() && spec.rescale)
        throw Failure(usageError("--export writes heads as they are: leave out --rescale."));
    if (!arguments.exportFolder.empty() && spec.order == "random")
        throw Failure(usageError("--export needs one order of heads; --order random makes many."));
    const bool exportOptions = arguments.exportAt >= 0 || arguments.exportMask || arguments.compensate
                            || arguments.exportForm != ExportForm::Full;
    if (exportOptions && arguments.exportFolder.empty())
        throw Failure(usageError("--export-at, --export-mask, --export-form and --compensate need --export DIR."));
    if (arguments.exportAt >= 0 && arguments.exportMask)
        throw Failure(usageError("--export-at takes the heads from the curve, --export-mask names them: give one."));
    if (spec.reestimate && spec.order != "importance")
        throw Failure(usageError("--reestimate needs --order importance."));
    if (spec.greedyStep != PruningSpec().greedyStep && spec.order != "greedy")
        throw Failure(usageError("--greedy-step needs --order greedy."));
    requirePruningOrder(spec.order);
}

void run(const PruneArguments &arguments, Context &context)
{
    checkOptions(arguments);
    if (arguments.exportMask)
        return exportMask(arguments, context);

    if (!arguments.exportFolder.empty())
        checkNewFolder(arguments.exportFolder, "--export");
    std::error_code ignored;
    const std::string &order = arguments.spec.order;
    const bool isFile = std::filesystem::is_regular_file(order, ignored);
    const Measuring measuring(arguments.common, context, requirementsOf(arguments, {isFile ? order : std::string()}));
    const auto result = runAndWrite(requestedSpec(arguments, measuring), measuring);
    if (!result)
        return;
    noteAnswers(*result, ruleOf(arguments.margin), context);
    noteDoubts(*result, measuring.session(), context);
    if (!arguments.exportFolder.empty())
        exportFromCurve(arguments, *result, measuring.session(), context);
}

void addExportOptions(CLI::App &command, PruneArguments &arguments)
{
    command.add_option("--export", arguments.exportFolder, "Write a model without the removed heads here")
        ->type_name("DIR")
        ->group("Output");
    CliOptions(command, "Output")
        .choice("export-form", arguments.exportForm,
                "full: the original shape with the removed heads set to zero, which every library loads; small: "
                "without their rows and columns, for Headscope and, where config.json can describe it, transformers "
                "before 5");
    command
        .add_option("--export-mask", arguments.exportMask,
                    "Write the model without exactly these heads, and compute no curve: needs no data unless to "
                    "--compensate")
        ->type_name("HEADS")
        ->group("Output");
    command
        .add_flag("--compensate", arguments.compensate,
                  "The written model's output biases take the removed heads' mean outputs over the data set (as ablate "
                  "--replace mean)")
        ->group("Output");
    command
        .add_option("--export-at", arguments.exportAt,
                    "Number of heads to remove in it; default: the most that can go within --margin")
        ->check(wholeNumber(0))
        ->type_name("N")
        ->group("Output");
}

} // namespace

void addPruneCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<PruneArguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    addMarginOption(*command, arguments->margin, "Output");
    addExportOptions(*command, *arguments);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
