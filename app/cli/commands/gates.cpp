#include "app/cli/clioptions.h"
#include "app/cli/commands/commands.h"
#include "app/cli/trainingruns.h"
#include "core/formats/aliveheads.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The commands l0 and subset: gates that are trained to switch heads off, for several weights of the penalty or
/// numbers of heads.
namespace headscope::cli {

namespace {

struct GatesArguments : TrainingArguments
{
    std::vector<double> lambdas;
    std::vector<std::int64_t> heads;
    GateConfig gates;
    std::vector<HeadKind> kinds;
    bool wantsTrained = false;
};

/// Heads of one kind, or of all; `open` at the end of the run.
struct GatedHeads
{
    std::int64_t gated = 0;
    std::int64_t open = 0;
};

GatedHeads countHeads(const VariantRun &run, std::optional<HeadKind> kind = {})
{
    GatedHeads heads;
    for (const auto &[head, closed] : run.report.points.back().closed) {
        if (kind && head.kind != *kind)
            continue;
        ++heads.gated;
        heads.open += run.judged().mask->isMasked(head) ? 0 : 1;
    }
    return heads;
}

Json pointJson(const TrainingPoint &point)
{
    Json closed = Json::object();
    for (const auto &[head, probability] : point.closed)
        closed[toText(head)] = probability;
    return {{"step", point.step}, {"loss", point.loss}, {"expected_open", expectedOpen(point)}, {"closed", closed}};
}

Json gatesJson(const VariantRun &run)
{
    const TrainingEpoch &last = run.judged();
    Json json = run.config.gates.method == GateMethod::L0 ? Json{{"lambda", run.config.gates.lambda}} : Json{};
    json["open_heads"] = countHeads(run).open;
    for (const HeadKind kind : kAllHeadKinds) {
        if (const GatedHeads heads = countHeads(run, kind); heads.gated > 0)
            json[std::string(headKindName(kind))] = {{"open", heads.open}, {"gated", heads.gated}};
    }
    json["mask"] = toText(*last.mask);
    json["alive_heads"] = aliveHeads(*last.mask, gatedHeads(run.report));
    if (last.validationLoss)
        json["validation_loss"] = *last.validationLoss;
    if (last.score) {
        json["metric"] = last.metric;
        json["score"] = *last.score;
    }
    if (run.report.before && run.report.before->score)
        json["before_score"] = *run.report.before->score;
    json["model"] = (run.report.folder / last.folder).string();
    json["epochs"] = Json::array();
    for (const TrainingEpoch &epoch : run.report.epochs) {
        Json one{{"epoch", epoch.epoch}, {"step", epoch.step}, {"closed_heads", epoch.mask->size()}};
        if (epoch.validationLoss)
            one["validation_loss"] = *epoch.validationLoss;
        if (epoch.score)
            one["score"] = *epoch.score;
        json["epochs"].push_back(std::move(one));
    }
    json["points"] = Json::array();
    for (const TrainingPoint &point : run.report.points)
        json["points"].push_back(pointJson(point));
    return json;
}

void addRow(const VariantRun &run, CsvWriter &csv)
{
    const TrainingEpoch &last = run.judged();
    const GatedHeads all = countHeads(run);
    csv << (run.config.gates.method == GateMethod::L0 ? run.config.gates.lambda : kNoNumber) << all.open << all.gated;
    for (const HeadKind kind : kAllHeadKinds) {
        const GatedHeads heads = countHeads(run, kind);
        csv << (heads.gated > 0 ? static_cast<double>(heads.open) : kNoNumber);
    }
    const auto &before = run.report.before;
    csv << last.validationLoss.value_or(kNoNumber) << last.metric << last.score.value_or(kNoNumber)
        << (before ? before->score.value_or(kNoNumber) : kNoNumber) << toText(*last.mask)
        << (run.report.folder / last.folder).string();
}

void runGates(const GatesArguments &arguments, GateMethod method, const std::vector<TrainingVariant> &variants,
              Context &context)
{
    TrainingConfig base = readConfig(arguments, context);
    base.gates.method = method;
    if (!arguments.kinds.empty())
        base.gates.kinds = arguments.kinds;
    if (arguments.wantsTrained)
        base.gates.trained = arguments.gates.trained;
    const std::vector<VariantRun> runs = trainVariants(base, variants, context);
    writeRuns(arguments.report, runs,
              {.result = std::string(toText(method)),
               .json = gatesJson,
               .columns = {"lambda", "open", "gated", "encoder", "cross", "decoder", "validation_loss", "metric",
                           "score", "before_score", "mask", "model"},
               .row = addRow});
}

/// Options that both commands take. The result's mask is of the form that --mask takes.
CLI::App *addGateCommand(CLI::App &app, const char *name, const char *summary, GatesArguments &arguments)
{
    CLI::App *command = app.add_subcommand(name, summary);
    addTrainingOptions(*command, arguments, true);
    CliOptions options(*command, "Gates");
    options.choices("kinds", arguments.kinds,
                    "Attention whose heads have gates (default: the configuration's, else all)");
    options.choice(
        "trained", arguments.gates.trained,
        "Weights that are trained besides the gates: all; gated: those of the stacks whose heads have gates, "
        "without embeddings that other stacks share; gates: none. Default: the configuration's");
    command->footer(
        "The result: \"runs\", each with open_heads, mask (the closed heads, as --mask takes them; alive_heads: "
        "the same as\n"
        "matrices), validation_loss and score under the mask, model (the folder to use the mask with), epochs, "
        "and\n"
        "points with expected_open and closed (P(gate = 0) of every head) over updates. An interrupted command\n"
        "resumes when it is run again.");
    return command;
}

} // namespace

void addGateCommands(CLI::App &app, CommandFunction &chosen)
{
    auto l0 = std::make_shared<GatesArguments>();
    CLI::App *command
        = addGateCommand(app, "l0", "Train gates that switch heads off by L0 regularisation (Voita et al. 2019)", *l0);
    command
        ->add_option("--lambda", l0->lambdas,
                     "Weights of the penalty, a run for each, into lambda-X in the output folder: "
                     "the loss is cross-entropy per token + lambda times the expected number of "
                     "open heads; below 0 it rewards open heads")
        ->delimiter(',')
        ->check(realNumber(-1e6, 1e6))
        ->required()
        ->type_name("X,...")
        ->group("Gates");
    command->callback([&chosen, l0, command] {
        l0->wantsTrained = command->count("--trained") > 0;
        chosen = [l0](Context &context) {
            std::vector<TrainingVariant> variants;
            for (const double lambda : l0->lambdas)
                variants.push_back({"lambda-" + shortNumber(lambda),
                                    [lambda](TrainingConfig &config) { config.gates.lambda = lambda; }});
            runGates(*l0, GateMethod::L0, variants, context);
        };
    });

    auto subset = std::make_shared<GatesArguments>();
    command = addGateCommand(app, "subset", "Train gates that keep exactly N heads (Li et al. 2021)", *subset);
    command
        ->add_option("--heads", subset->heads,
                     "Numbers of heads to keep: one run for each, into subset-N in the output folder")
        ->delimiter(',')
        ->check(wholeNumber(1))
        ->required()
        ->type_name("N,...")
        ->group("Gates");
    command->callback([&chosen, subset, command] {
        subset->wantsTrained = command->count("--trained") > 0;
        chosen = [subset](Context &context) {
            std::vector<TrainingVariant> variants;
            for (const std::int64_t heads : subset->heads)
                variants.push_back(
                    {fmt::format("subset-{}", heads), [heads](TrainingConfig &config) { config.gates.heads = heads; }});
            runGates(*subset, GateMethod::Subset, variants, context);
        };
    });
}

} // namespace headscope::cli
