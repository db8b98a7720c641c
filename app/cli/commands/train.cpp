#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/session/training.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace headscope::cli {

namespace {

struct Arguments
{
    std::string config;
    std::string output;
    std::optional<int> threads;
    std::optional<std::string> device;
    OutputArguments report;
};

void noteEpoch(Context &context, const TrainingReport &report, const TrainingConfig &config)
{
    const TrainingEpoch &epoch = report.epochs.back();
    std::string line = fmt::format("epoch {}/{}: training loss {:.3f}", epoch.epoch, config.epochs, epoch.trainLoss);
    if (epoch.validationLoss)
        line += fmt::format(", validation loss {:.3f}", *epoch.validationLoss);
    if (epoch.bleu)
        line += fmt::format(", BLEU {:.2f}", *epoch.bleu);
    line += fmt::format(", {:.0f} s, {}", epoch.seconds, (report.folder / epoch.folder).string());
    if (report.bestEpoch == report.epochs.size() - 1)
        line += " (best)";
    context.note(line);
}

void run(const Arguments &arguments, Context &context)
{
    context.setQuiet(arguments.report.quiet);
    TrainingConfig config = readTrainingConfig(arguments.config).valueOrThrow();
    if (!arguments.output.empty())
        config.output = std::filesystem::absolute(arguments.output);
    if (arguments.threads)
        config.threads = *arguments.threads;
    if (arguments.device)
        config.device = *arguments.device;
    checkWritable(arguments.report, {arguments.config, config.train.source, config.train.reference, config.train.table,
                                     config.validation.source, config.validation.reference, config.validation.table});
    std::optional<std::size_t> epochs;
    const auto onReport = [&](const TrainingReport &report) {
        if (!epochs && report.resumedFrom >= 0)
            context.note(fmt::format("going on from update {}", report.resumedFrom));
        if (report.epochs.size() > epochs.value_or(report.epochs.size()))
            noteEpoch(context, report, config);
        epochs = report.epochs.size();
    };
    auto result = train(config, context.control(), onReport);
    if (result.isCancelled())
        context.note(fmt::format("stopped; the same command goes on from here ({})", config.output.string()));
    const TrainingReport report = std::move(result).valueOrThrow();
    for (const std::string &warning : report.warnings)
        context.note(warning);
    writeText(arguments.report, trainingReportText(report));
}

} // namespace

void addTrainCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("train", "Train a model as CONFIG.json says, or go on with an interrupted run");
    command->add_option("CONFIG", arguments->config, "Configuration (README, \"Training\")")
        ->required()
        ->check(CLI::ExistingFile);
    command->add_option("--output", arguments->output, "Folder of the run, instead of the configuration's");
    command->add_option("--threads", arguments->threads, "Processor threads; 0 = one per core. Does not change the numbers")
        ->check(wholeNumber(0, kLargestInt));
    command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N");
    addOutputOptions(*command, arguments->report, false);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
