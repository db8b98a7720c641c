#include "app/cli/commands/commands.h"

#include "app/cli/trainingruns.h"
#include "core/exporting/csvwriter.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace headscope::cli {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct Arguments : TrainingArguments
{
    std::vector<std::int64_t> heads;
    std::vector<std::int64_t> sharedWidths;
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

Json rowJson(const VariantRun &run)
{
    const TrainingEpoch &epoch = run.judged();
    const std::int64_t heads = run.config.model.encoderHeads;
    Json row{{"heads", heads},
             {"head_width", run.config.model.width / heads},
             {"parameters", run.report.parameters},
             {"epoch", epoch.folder},
             {"folder", run.report.folder.string()}};
    if (epoch.validationLoss)
        row["perplexity"] = std::exp(*epoch.validationLoss);
    if (epoch.score)
        row["bleu"] = *epoch.score;
    if (const PublishedRow *published = publishedRow(heads))
        row["vaswani"] = {{"perplexity", published->perplexity}, {"bleu", published->bleu}};
    return row;
}

std::string headsTable(const std::vector<VariantRun> &runs)
{
    CsvWriter csv;
    for (const char *column : {"heads", "head_width", "parameters", "perplexity [per piece]", "BLEU",
                               "Vaswani et al. perplexity", "Vaswani et al. BLEU", "epoch"})
        csv << column;
    csv.endLine();
    for (const VariantRun &run : runs) {
        const TrainingEpoch &epoch = run.judged();
        const std::int64_t heads = run.config.model.encoderHeads;
        const PublishedRow *published = publishedRow(heads);
        csv << heads << run.config.model.width / heads << run.report.parameters
            << (epoch.validationLoss ? std::exp(*epoch.validationLoss) : kNoNumber) << epoch.score.value_or(kNoNumber)
            << (published ? published->perplexity : kNoNumber) << (published ? published->bleu : kNoNumber) << epoch.folder;
        csv.endLine();
    }
    return csv.text();
}

/// The same model with other numbers of heads, which share its width among them.
void runHeads(const Arguments &arguments, const TrainingConfig &base, Context &context)
{
    if (!base.startFrom.empty())
        throw Failure(usageError("--heads makes new models: leave \"start_from\" out."));
    std::vector<TrainingVariant> variants;
    for (const std::int64_t heads : arguments.heads) {
        if (base.model.width % heads != 0)
            throw Failure(usageError(fmt::format("--heads {}: the model's width {} cannot be divided among them.", heads,
                                                 base.model.width)));
        variants.push_back({fmt::format("heads-{}", heads),
                            [heads](TrainingConfig &config) { config.model.encoderHeads = config.model.decoderHeads = heads; }});
    }
    const std::vector<VariantRun> runs = trainVariants(base, variants, context);
    writeForms(arguments.report, {[&] {
                                      Json json{{"result", "train-heads"}, {"runs", Json::array()}};
                                      for (const VariantRun &run : runs)
                                          json["runs"].push_back(rowJson(run));
                                      return json;
                                  },
                                  [&] { return headsTable(runs); }});
}

const char *formOf(const TrainingConfig &config) { return config.fixedMixing ? "concatenated" : "collaborative"; }

Json sharedRow(const VariantRun &run)
{
    const TrainingEpoch &epoch = run.judged();
    Json row{{"width", run.config.model.sharedWidth},
             {"form", formOf(run.config)},
             {"parameters", run.report.parameters},
             {"epoch", epoch.folder},
             {"folder", run.report.folder.string()}};
    if (epoch.validationLoss)
        row["perplexity"] = std::exp(*epoch.validationLoss);
    if (epoch.score)
        row["bleu"] = *epoch.score;
    return row;
}

std::string sharedTable(const std::vector<VariantRun> &runs)
{
    CsvWriter csv;
    for (const char *column : {"width", "form", "parameters", "perplexity [per piece]", "BLEU", "epoch"})
        csv << column;
    csv.endLine();
    for (const VariantRun &run : runs) {
        const TrainingEpoch &epoch = run.judged();
        csv << run.config.model.sharedWidth << formOf(run.config) << run.report.parameters
            << (epoch.validationLoss ? std::exp(*epoch.validationLoss) : kNoNumber) << epoch.score.value_or(kNoNumber)
            << epoch.folder;
        csv.endLine();
    }
    return csv.text();
}

/// The same model with other widths of its query and key projections, which heads share or have parts of to themselves.
void runSharedWidths(const Arguments &arguments, const TrainingConfig &base, Context &context)
{
    if (!base.startFrom.empty())
        throw Failure(usageError("--shared-projections makes new models: leave \"start_from\" out."));
    std::vector<TrainingVariant> variants;
    for (const std::int64_t width : arguments.sharedWidths) {
        for (const bool fixed : {false, true})
            variants.push_back({fmt::format("{}-{}", fixed ? "concatenated" : "collaborative", width),
                                [width, fixed](TrainingConfig &config) {
                                    config.model.sharedWidth = width;
                                    config.fixedMixing = fixed;
                                }});
    }
    const std::vector<VariantRun> runs = trainVariants(base, variants, context);
    writeForms(arguments.report, {[&] {
                                      Json json{{"result", "train-shared-projections"}, {"runs", Json::array()}};
                                      for (const VariantRun &run : runs)
                                          json["runs"].push_back(sharedRow(run));
                                      return json;
                                  },
                                  [&] { return sharedTable(runs); }});
}

void run(const Arguments &arguments, Context &context)
{
    const bool isTable = !arguments.heads.empty() || !arguments.sharedWidths.empty();
    if (arguments.report.isCsv() && !isTable)
        throw Failure(usageError("A single run is no table: --format csv goes with --heads and --shared-projections."));
    if (!arguments.heads.empty() && !arguments.sharedWidths.empty())
        throw Failure(usageError("Give --heads or --shared-projections: a table is about one of them."));
    const TrainingConfig config = readConfig(arguments, context);
    if (!arguments.sharedWidths.empty())
        return runSharedWidths(arguments, config, context);
    if (!arguments.heads.empty())
        return runHeads(arguments, config, context);
    writeText(arguments.report, trainingReportText(trainNoting(config, context)));
}

} // namespace

void addTrainCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("train", "Train a model as CONFIG.json says, or go on with an interrupted run");
    addTrainingOptions(*command, *arguments, true);
    command
        ->add_option("--heads", arguments->heads,
                     "Train a model for each of these numbers of heads, all of the configuration's width, into heads-N in the "
                     "output folder: a table like Vaswani et al.'s 3 (A), theirs beside it")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestInt))
        ->type_name("N,...");
    command
        ->add_option("--shared-projections", arguments->sharedWidths,
                     "Train two models for each of these widths of query and key projections: one whose heads share them "
                     "(Cordonnier et al. 2020), one whose heads have equal parts of them to themselves; into collaborative-N and "
                     "concatenated-N in the output folder")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestInt))
        ->type_name("N,...");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
