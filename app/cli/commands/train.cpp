#include "app/cli/clioptions.h"
#include "app/cli/commands/commands.h"
#include "app/cli/trainingruns.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct TrainArguments : TrainingArguments
{
    std::vector<std::int64_t> heads;
    std::vector<InitialHeads> initialHeads;
    std::vector<std::string> masks;
    bool freshWeights = false;
    bool againstScratch = false;
    std::vector<std::int64_t> sharedWidths;

    bool isComparison() const
    {
        return !heads.empty() || !initialHeads.empty() || !sharedWidths.empty() || againstScratch;
    }
};

/// Vaswani et al. (2017), table 3, rows (A): English–German, newstest2013, perplexity per piece.
struct PublishedRow
{
    std::int64_t heads;
    double perplexity;
    double bleu;
};
constexpr std::array<PublishedRow, 5> kPublished{
    {{1, 5.29, 24.9}, {4, 5.00, 25.5}, {8, 4.92, 25.8}, {16, 4.91, 25.8}, {32, 5.01, 25.4}}};

const PublishedRow *publishedRow(std::int64_t heads)
{
    const auto *found = std::ranges::find(kPublished, heads, &PublishedRow::heads);
    return found == kPublished.end() ? nullptr : found;
}

/// Columns that runs of all comparisons have.
Json runJson(const VariantRun &run)
{
    const TrainingEpoch &epoch = run.judged();
    Json json{{"parameters", run.report.parameters}, {"epoch", epoch.folder}, {"folder", run.report.folder.string()}};
    if (epoch.validationLoss) {
        json["validation_loss"] = *epoch.validationLoss;
        json["perplexity"] = std::exp(*epoch.validationLoss);
    }
    if (epoch.score) {
        json["metric"] = epoch.metric;
        json["score"] = *epoch.score;
    }
    return json;
}

void addRunCells(const VariantRun &run, CsvWriter &csv)
{
    const TrainingEpoch &epoch = run.judged();
    csv << run.report.parameters << (epoch.validationLoss ? std::exp(*epoch.validationLoss) : kNoNumber) << epoch.metric
        << epoch.score.value_or(kNoNumber);
}

Json headsJson(const VariantRun &run)
{
    const std::int64_t heads = run.config.model.encoderHeads;
    Json json{{"heads", heads}, {"head_width", run.config.model.width / heads}};
    json.update(runJson(run));
    if (const PublishedRow *published = publishedRow(heads))
        json["vaswani"] = {{"perplexity", published->perplexity}, {"bleu", published->bleu}};
    return json;
}

void addHeadsRow(const VariantRun &run, CsvWriter &csv)
{
    const std::int64_t heads = run.config.model.encoderHeads;
    const PublishedRow *published = publishedRow(heads);
    csv << heads << run.config.model.width / heads;
    addRunCells(run, csv);
    csv << (published ? published->perplexity : kNoNumber) << (published ? published->bleu : kNoNumber)
        << run.judged().folder;
}

/// Trains one model per number of heads; the heads divide the model's width among them.
void runHeads(const TrainArguments &arguments, const TrainingConfig &base, Context &context)
{
    if (!base.startFrom.empty())
        throw Failure(usageError("--heads makes new models: leave \"start_from\" out."));
    std::vector<TrainingVariant> variants;
    for (const std::int64_t heads : arguments.heads) {
        if (base.model.width % heads != 0)
            throw Failure(usageError(fmt::format("--heads {}: the model's width {} cannot be divided among them.",
                                                 heads, base.model.width)));
        variants.push_back({fmt::format("heads-{}", heads), [heads](TrainingConfig &config) {
                                config.model.encoderHeads = config.model.decoderHeads = heads;
                            }});
    }
    writeRuns(arguments.report, trainVariants(base, variants, context),
              {.result = "train-heads",
               .json = headsJson,
               .columns = {"heads", "head_width", "parameters", "perplexity", "metric", "score", "vaswani_perplexity",
                           "vaswani_bleu", "epoch"},
               .row = addHeadsRow});
}

/// Runs whose heads begin differently, as a table: how far heads are apart over the updates, and what the models come
/// to.
void runInitialHeads(const TrainArguments &arguments, const TrainingConfig &base, Context &context)
{
    std::vector<TrainingVariant> variants;
    for (const InitialHeads initial : arguments.initialHeads)
        variants.push_back({std::string(toText(initial)) + "-heads",
                            [initial](TrainingConfig &config) { config.initialHeads = initial; }});
    const auto nameOf = [](const VariantRun &run) { return run.config.output.filename().string(); };
    const auto spreadOf = [](const VariantRun &run) {
        return run.report.points.empty() ? kNoNumber : run.report.points.back().spread.value_or(kNoNumber);
    };
    writeRuns(arguments.report, trainVariants(base, variants, context),
              {.result = "train-initial-heads",
               .json =
                   [nameOf](const VariantRun &run) {
                       Json json{{"begin", nameOf(run)}};
                       json.update(runJson(run));
                       json["spreads"] = Json::array();
                       for (const TrainingPoint &point : run.report.points) {
                           if (point.spread)
                               json["spreads"].push_back({{"step", point.step}, {"spread", *point.spread}});
                       }
                       return json;
                   },
               .columns = {"begin", "parameters", "perplexity", "metric", "score", "spread", "epoch"},
               .row =
                   [nameOf, spreadOf](const VariantRun &run, CsvWriter &csv) {
                       csv << nameOf(run);
                       addRunCells(run, csv);
                       csv << spreadOf(run) << run.judged().folder;
                   }});
}

HeadLayout layoutOf(const TrainingConfig &config, Context &context)
{
    if (config.startFrom.empty())
        throw Failure(usageError("--mask and --against-scratch are of a trained model: give --start-from."));
    ModelArguments model;
    model.folder = config.startFrom.string();
    return context.open(model)->card().layout;
}

/// Heads of one kind that a run was left with; none: the model has no such heads.
std::optional<std::int64_t> headsLeft(const HeadLayout &layout, const HeadMask &removed, HeadKind kind)
{
    std::optional<std::int64_t> left;
    for (const HeadRef &head : layout.heads()) {
        if (head.kind == kind)
            left = left.value_or(0) + (removed.isMasked(head) ? 0 : 1);
    }
    return left;
}

/// Continues training the model without the heads of each mask, and trains one of the same shape from scratch (Voita et
/// al. 2019, Table 2).
void runAgainstScratch(const TrainArguments &arguments, const TrainingConfig &base, const std::vector<HeadMask> &masks,
                       const HeadLayout &layout, Context &context)
{
    std::vector<TrainingVariant> variants;
    std::set<std::string> folders;
    for (const HeadMask &mask : masks) {
        std::string folder
            = masks.size() > 1 ? fmt::format("{}-heads-", layout.size() - static_cast<std::int64_t>(mask.size())) : "";
        for (int number = 2; folders.contains(folder); ++number)
            folder = fmt::format("{}-heads-{}-", layout.size() - static_cast<std::int64_t>(mask.size()), number);
        folders.insert(folder);
        for (const bool fresh : {false, true})
            variants.push_back(
                {folder + (fresh ? "from-scratch" : "fine-tuned"), [fresh, mask](TrainingConfig &config) {
                     config.freshWeights = fresh;
                     config.removedHeads = mask;
                 }});
    }
    const auto nameOf = [](const VariantRun &run) { return run.config.output.filename().string(); };
    writeRuns(arguments.report, trainVariants(base, variants, context),
              {.result = "train-against-scratch",
               .json =
                   [nameOf, layout](const VariantRun &run) {
                       Json json{{"begin", nameOf(run)}};
                       for (const HeadKind kind : kAllHeadKinds) {
                           if (const auto left = headsLeft(layout, run.config.removedHeads, kind))
                               json[std::string(headKindName(kind))] = *left;
                       }
                       json.update(runJson(run));
                       json["epochs"] = run.report.epochs.size();
                       return json;
                   },
               .columns = {"begin", "encoder", "cross", "decoder", "parameters", "perplexity", "metric", "score",
                           "epochs", "epoch"},
               .row =
                   [nameOf, layout](const VariantRun &run, CsvWriter &csv) {
                       csv << nameOf(run);
                       for (const HeadKind kind : kAllHeadKinds) {
                           const auto left = headsLeft(layout, run.config.removedHeads, kind);
                           csv << (left ? static_cast<double>(*left) : kNoNumber);
                       }
                       addRunCells(run, csv);
                       csv << static_cast<std::int64_t>(run.report.epochs.size()) << run.judged().folder;
                   }});
}

const char *formOf(const TrainingConfig &config)
{
    return config.model.sharedWidth == 0 ? "original" : config.fixedMixing ? "concatenated" : "collaborative";
}

Json sharedJson(const VariantRun &run)
{
    Json json;
    if (run.config.model.sharedWidth > 0)
        json["width"] = run.config.model.sharedWidth;
    json["form"] = formOf(run.config);
    json.update(runJson(run));
    if (const auto &before = run.report.before) {
        json["before_perplexity"] = std::exp(*before->validationLoss);
        json["before_score"] = *before->score;
    }
    return json;
}

void addSharedRow(const VariantRun &run, CsvWriter &csv)
{
    const std::int64_t width = run.config.model.sharedWidth;
    csv << (width > 0 ? static_cast<double>(width) : kNoNumber) << formOf(run.config);
    addRunCells(run, csv);
    const auto &before = run.report.before;
    csv << (before ? std::exp(*before->validationLoss) : kNoNumber) << (before ? *before->score : kNoNumber)
        << run.judged().folder;
}

/// Trains one model per width of the query and key projections, which heads share or divide among them: new ones, or
/// the starting model with its projections factorized, beside that model as it is.
void runSharedWidths(const TrainArguments &arguments, const TrainingConfig &base, Context &context)
{
    std::vector<TrainingVariant> variants;
    if (!base.startFrom.empty())
        variants.push_back({"original", [](TrainingConfig &config) { config.model.sharedWidth = 0; }});
    for (const std::int64_t width : arguments.sharedWidths) {
        for (const bool fixed : {false, true})
            variants.push_back({fmt::format("{}-{}", fixed ? "concatenated" : "collaborative", width),
                                [width, fixed](TrainingConfig &config) {
                                    config.model.sharedWidth = width;
                                    config.fixedMixing = fixed;
                                }});
    }
    writeRuns(arguments.report, trainVariants(base, variants, context),
              {.result = "train-shared-projections",
               .json = sharedJson,
               .columns = {"width", "form", "parameters", "perplexity", "metric", "score", "before_perplexity",
                           "before_score", "epoch"},
               .row = addSharedRow});
}

void run(const TrainArguments &arguments, Context &context)
{
    if (arguments.report.isCsv() && !arguments.isComparison())
        throw Failure(usageError("A single run has no table: --format csv needs --heads, --initial-heads, "
                                 "--shared-projections or --against-scratch."));
    TrainingConfig config = readConfig(arguments, context);
    HeadLayout layout;
    std::vector<HeadMask> masks;
    if (!arguments.masks.empty() || arguments.againstScratch)
        layout = layoutOf(config, context);
    for (const std::string &mask : arguments.masks)
        masks.push_back(checkedMask(mask, layout));
    if (masks.size() > 1 && !arguments.againstScratch)
        throw Failure(usageError("Several --mask make several models: add --against-scratch."));
    if (!masks.empty())
        config.removedHeads = masks.front();
    if (arguments.freshWeights)
        config.freshWeights = true;
    if (!arguments.sharedWidths.empty())
        return runSharedWidths(arguments, config, context);
    if (!arguments.heads.empty())
        return runHeads(arguments, config, context);
    if (!arguments.initialHeads.empty())
        return runInitialHeads(arguments, config, context);
    if (arguments.againstScratch)
        return runAgainstScratch(arguments, config, masks.empty() ? std::vector<HeadMask>{config.removedHeads} : masks,
                                 layout, context);
    writeText(arguments.report, trainingReportText(trainWithProgress(config, context)));
}

} // namespace

void addTrainCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App *command
        = app.add_subcommand("train", "Train a model by the configuration CONFIG.json, or resume an interrupted "
                                      "run");
    addTrainingOptions(*command, *arguments, true);
    command
        ->add_option(
            "--mask", arguments->masks,
            "Heads to remove from the starting model before training: encoder.0.3,cross.2.1; or a file with "
            "matrices of 0 and 1 (\"alive_heads\" of Voita et al.'s code). With --against-scratch it can be given "
            "several times")
        ->allow_extra_args(false)
        ->type_name("HEADS|FILE");
    CLI::Option *fresh
        = command->add_flag("--fresh-weights", arguments->freshWeights,
                            "Take only shape and tokenizer of the starting model, and train from scratch");
    CLI::Option *heads
        = command
              ->add_option(
                  "--heads", arguments->heads,
                  "Train a model for each of these numbers of heads, all of the configuration's width, into heads-N in the "
                  "output folder: a table like Vaswani et al.'s 3 (A), theirs beside it")
              ->delimiter(',')
              ->check(wholeNumber(1, kLargestInt))
              ->type_name("N,...");
    CliOptions(*command, heads->get_group())
        .choices(
            "initial-heads", arguments->initialHeads,
            "Train from scratch with the heads of a layer initialised differently, with the same queries, keys and "
            "values (identical), or with all of their parameters equal, into different-heads and so on in the output "
            "folder, as a table; the points of the runs, and `dynamics --spread`, show how they diverge");
    CLI::Option *initial = command->get_option("--initial-heads");
    command
        ->add_flag(
            "--against-scratch", arguments->againstScratch,
            "Train the starting model (without the heads of --mask), and one of the same shape from scratch, "
            "into fine-tuned and from-scratch in the output folder, as a table; of several masks N-heads-fine-tuned and "
            "N-heads-from-scratch, N being the heads that are left (Voita et al. 2019, Table 2)")
        ->excludes(heads, initial, fresh);
    CLI::Option *shared
        = command
              ->add_option(
                  "--shared-projections", arguments->sharedWidths,
                  "Train two models for each of these widths of query and key projections: one whose heads share them "
                  "(Cordonnier et al. 2020), one whose heads have equal parts of them to themselves; into collaborative-N and "
                  "concatenated-N in the output folder. With --start-from, the projections of that model are factorized to "
                  "these widths and trained further, as is the model itself (into original), with scores before and after")
              ->delimiter(',')
              ->check(wholeNumber(1, kLargestInt))
              ->type_name("N,...")
              ->excludes(heads, initial, fresh);
    heads->excludes(initial, shared);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
