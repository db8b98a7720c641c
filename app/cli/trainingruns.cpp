#include "app/cli/trainingruns.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace headscope::cli {

namespace {

void noteStart(Context &context, const TrainingEpoch &before)
{
    context.note(fmt::format("before training: validation loss {:.3f}, {} {:.4g}", *before.validationLoss,
                             before.metric, *before.score));
}

void noteEpoch(Context &context, const TrainingReport &report, const TrainingConfig &config)
{
    const TrainingEpoch &epoch = report.epochs.back();
    std::string line = fmt::format("epoch {}/{}: training loss {:.3f}", epoch.epoch, config.epochs, epoch.trainLoss);
    if (epoch.validationLoss)
        line += fmt::format(", validation loss {:.3f}", *epoch.validationLoss);
    if (epoch.score)
        line += fmt::format(", {} {:.4g}", epoch.metric, *epoch.score);
    if (epoch.mask)
        line += fmt::format(", {} heads closed", epoch.mask->size());
    line += fmt::format(", {:.0f} s, {}", epoch.seconds, (report.folder / epoch.folder).string());
    if (report.bestEpoch == report.epochs.size() - 1)
        line += " (best)";
    context.note(line);
}

} // namespace

void addTrainingOptions(CLI::App &command, TrainingArguments &arguments, bool withTable)
{
    command.add_option("CONFIG", arguments.config, "Configuration (guide, \"Training\")")
        ->required()
        ->check(CLI::ExistingFile);
    command.add_option("--output", arguments.output, "Folder of the run, instead of the configuration's");
    command
        .add_option("--start-from", arguments.startFrom,
                    "Model folder to start from, instead of the "
                    "configuration's")
        ->type_name("DIR");
    command
        .add_option("--threads", arguments.threads, "Processor threads; 0 = one per core. Does not change the numbers")
        ->check(wholeNumber(0, kLargestInt));
    command.add_option("--device", arguments.device, "auto, cpu, cuda or cuda:N");
    addOutputOptions(command, arguments.report, withTable);
}

TrainingConfig readConfig(const TrainingArguments &arguments, Context &context)
{
    context.setQuiet(arguments.report.quiet);
    TrainingConfig config = readTrainingConfig(arguments.config).valueOrThrow();
    if (!arguments.output.empty())
        config.output = std::filesystem::absolute(arguments.output);
    if (!arguments.startFrom.empty())
        config.startFrom = std::filesystem::absolute(arguments.startFrom);
    if (arguments.threads)
        config.threads = *arguments.threads;
    if (arguments.device)
        config.device = *arguments.device;
    std::vector<std::string> inputs{config.startFrom.string()};
    for (DataSource data : {config.train, config.validation}) {
        for (const std::string *file : filesOf(data))
            inputs.push_back(*file);
    }
    checkWritable(arguments.report, inputs);
    return config;
}

TrainingReport trainWithProgress(const TrainingConfig &config, Context &context)
{
    std::optional<std::size_t> epochs;
    const auto onReport = [&](const TrainingReport &report) {
        if (!epochs && report.resumedFrom >= 0)
            context.note(fmt::format("resuming from update {}", report.resumedFrom));
        if (report.before && report.points.empty() && report.epochs.empty())
            noteStart(context, *report.before);
        if (report.epochs.size() > epochs.value_or(report.epochs.size()))
            noteEpoch(context, report, config);
        epochs = report.epochs.size();
    };
    auto result = train(config, context.control(), onReport);
    if (result.isCancelled())
        context.note(fmt::format("stopped; the same command resumes here ({})", config.output.string()));
    TrainingReport report = std::move(result).valueOrThrow();
    for (const std::string &warning : report.warnings)
        context.note(warning);
    return report;
}

const TrainingEpoch &VariantRun::judged() const
{
    if (report.bestEpoch && config.gates.method == GateMethod::None)
        return report.epochs[*report.bestEpoch];
    return report.epochs.back();
}

std::vector<VariantRun> trainVariants(const TrainingConfig &base, const std::vector<TrainingVariant> &variants,
                                      Context &context)
{
    std::vector<VariantRun> runs;
    for (const TrainingVariant &variant : variants) {
        TrainingConfig config = base;
        variant.change(config);
        config.output = base.output / variant.name;
        context.note(variant.name);
        TrainingReport report = trainWithProgress(config, context);
        runs.push_back({std::move(config), std::move(report)});
    }
    return runs;
}

void writeRuns(const OutputArguments &output, const std::vector<VariantRun> &runs, const RunForms &forms)
{
    const auto json = [&] {
        Json all{{"result", forms.result}, {"runs", Json::array()}};
        for (const VariantRun &run : runs)
            all["runs"].push_back(forms.json(run));
        return all;
    };
    const auto csv = [&] {
        CsvWriter table;
        for (const char *column : forms.columns)
            table << column;
        table.endLine();
        for (const VariantRun &run : runs) {
            forms.row(run, table);
            table.endLine();
        }
        return table.text();
    };
    writeForms(output, {json, csv});
}

std::string shortNumber(double value)
{
    return fmt::format("{}", value);
}

} // namespace headscope::cli
