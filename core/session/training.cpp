#include "core/session/training.h"

#include "core/analysis/evaluation.h"
#include "core/base/phases.h"
#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/task/tasks.h"
#include "core/task/textwindows.h"
#include "core/tensor/device.h"
#include "core/tensor/guarded.h"
#include "core/train/startingpoint.h"
#include "core/train/trainer.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <system_error>

namespace headscope {
namespace {

/// Settings that an interrupted run must have in common with the one that goes on: everything that decides its numbers.
TrainingConfig decidingNumbers(TrainingConfig config)
{
    const TrainingConfig defaults;
    config.output = defaults.output;
    // A cosine schedule ends where the run ends.
    if (config.schedule.kind != ScheduleKind::Cosine) {
        config.epochs = defaults.epochs;
        config.steps = defaults.steps;
    }
    config.patience = defaults.patience;
    config.goal = defaults.goal;
    config.threads = defaults.threads;
    config.saveMinutes = defaults.saveMinutes;
    config.validation = defaults.validation;
    config.validationBeams = defaults.validationBeams;
    return config;
}

/// Begins a run's folder, or checks that the run in it is this one.
void openRun(const TrainingConfig &config, const RunFolder &folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder.path(), error);
    if (error)
        throw Failure(
            resourceError("Cannot create the folder " + folder.path().string() + ": " + error.message() + "."));
    const bool goesOn = folder.hasRun();
    if (goesOn) {
        const TrainingConfig before = readTrainingConfig(folder.configFile()).valueOrThrow();
        if (decidingNumbers(before) != decidingNumbers(config))
            throw Failure(usageError(folder.path().string()
                                     + " holds a run of another configuration (train.json). Choose a new output "
                                       "folder, or the old configuration to go on with that run."));
    }
    folder.clean(); // before it is said to be another's: a run may have been killed while it wrote its first file
    if (!goesOn && !std::filesystem::is_empty(folder.path(), error))
        throw Failure(usageError(folder.path().string()
                                 + " is not empty and holds no training run. Choose a new "
                                   "output folder."));
    (void)writeFileAtomically(folder.configFile(), trainingConfigText(config)).valueOrThrow();
}

/// A run that goes on does so with the text that it began with, whatever the files are called. Runs of version 0.1 do
/// not say what that was.
void keepTrainingText(const RunFolder &folder, const std::string &hash)
{
    const std::filesystem::path file = folder.path() / "training-data.json";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        if (folder.savedStep() == 0)
            (void)writeFileAtomically(file, nlohmann::json{{"hash", hash}}.dump(2) + "\n").valueOrThrow();
        return;
    }
    const nlohmann::json kept = readJsonFile(file).valueOrThrow();
    if (!kept.is_object() || kept.value("hash", std::string()) != hash)
        throw Failure(usageError("The training text is not the one that the run in " + folder.path().string()
                                 + " began with. Choose a new output folder, or put the old text back to go on with "
                                   "that run."));
}

/// Validation loss and BLEU of the present weights without the heads that are closed.
Validation validate(const Task &task, const HeadMask &closed, const TrainingConfig &config, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    RunOptions run;
    run.decoding.beams = config.validationBeams;
    std::vector<std::int64_t> all(static_cast<std::size_t>(task.size()));
    std::iota(all.begin(), all.end(), 0);
    const auto batches = task.batches(all, run);
    std::vector<LossBatch> losses(batches.size());
    const HeadGates gates = HeadGates::fromMask(closed, task.layout(), task.tensorOptions());
    task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
        control.checkpoint();
        losses[static_cast<std::size_t>(b)] = task.loss(batches[static_cast<std::size_t>(b)], gates);
    });
    double loss = 0;
    double tokens = 0;
    for (const LossBatch &batch : losses) {
        loss += batch.loss.sum(torch::kFloat64).item<double>();
        tokens += static_cast<double>(batch.targetTokens);
    }
    EvaluationSpec spec;
    spec.run = run;
    spec.mask = closed;
    spec.resamples = 0;
    const EvaluationResult scores = evaluate(task, spec, {}, nullptr, control, {});
    const MetricValue &primary = scores.primary();
    return {loss / tokens, primary.value, primary.name, primary.better};
}

/// Which weights learn beside the gates. What a frozen stack shares with a trained one stays as it is.
TrainedChoice chosenByGates(const TrainingConfig &config, const TrainedGates *gates)
{
    if (!gates)
        return {};
    TrainedChoice choice{.isTrained = {}, .gates = gates->initial(config.seed)};
    if (config.gates.trained == TrainedParts::Gates)
        choice.isTrained = [](const std::string &) { return false; };
    if (config.gates.trained == TrainedParts::Gated) {
        std::set<std::string> stacks;
        for (const HeadRef &head : gates->heads())
            stacks.insert(head.kind == HeadKind::Encoder ? "encoder." : "decoder.");
        choice.isTrained = [stacks](const std::string &slot) {
            const bool shared = slot.ends_with(".embedding") || slot.ends_with(".positions");
            return std::ranges::any_of(stacks, [&](const std::string &stack) { return slot.starts_with(stack); })
                && (!shared || stacks.size() == 2);
        };
    }
    return choice;
}

TrainedChoice trainedChoice(const TrainingConfig &config, const TrainedGates *gates)
{
    TrainedChoice choice = chosenByGates(config, gates);
    if (config.fixedMixing)
        choice.isTrained = [before = choice.isTrained](const std::string &slot) {
            return !slot.ends_with(".mixing") && (!before || before(slot));
        };
    return choice;
}

/// Running text in windows; all else as it is.
Dataset asRead(Dataset data, const TransformerSpec &spec, const Tokenizer *tokenizer, const JobControl &control)
{
    return spec.encoder || spec.classifier ? std::move(data)
                                           : inWindows(std::move(data), spec, tokenizer, control).valueOrThrow();
}

Dataset readTrainingData(const TrainingConfig &config, const JobControl &control)
{
    Dataset data = readDataset(config.train, control).valueOrThrow();
    if (config.train.source.empty()) // whether texts have labels, and what those are, the model knows
        return data;
    // Empty sides teach nothing, and an empty source has no place in a batch.
    const auto removed = std::erase_if(data.examples, [](const Example &example) {
        return (example.source.empty() && example.inputIds.empty())
            || (example.reference.empty() && example.labels.empty());
    });
    if (data.examples.empty())
        throw Failure(badInput(data.name + " has no pair with text on both sides."));
    if (removed > 0)
        data.warnings.push_back(std::to_string(removed) + " pairs of " + data.name
                                + " have an empty side and were left "
                                  "out.");
    return data;
}

TrainingReport runTraining(const TrainingConfig &config, const JobControl &control,
                           const Publish<TrainingReport> &publish)
{
    (void)checkTrainingConfig(config).valueOrThrow();
    const torch::Device device = parseDevice(config.device).valueOrThrow();
    const torch::ScalarType workType = config.dtype == "auto"
                                         ? (isBf16Fast(device) && !config.plain ? torch::kBFloat16 : torch::kFloat32)
                                         : parseDtype(config.dtype).valueOrThrow();
    // Batches run in parallel in any number type: halfProduct() serialises what products in bf16 must not do at the
    // same time.
    const Execution execution(device, torch::kFloat32, config.threads);
    const RunFolder folder(config.output);
    control.progress({kPhaseTrainingData, "sentences", 0, 0});
    const Dataset data = readTrainingData(config, control);
    openRun(config, folder);
    keepTrainingText(folder, data.hash);
    std::error_code error;
    if (!std::filesystem::exists(folder.epochFolder(0), error))
        (void)makeFolderAtomically(folder.epochFolder(0), [&](const std::filesystem::path &temporary) {
            return makeStartingPoint(config, data, temporary, control);
        }).valueOrThrow();
    const LoadedModel start
        = loadModel(folder.epochFolder(0), torch::TensorOptions(torch::kFloat32), control).valueOrThrow();
    const std::shared_ptr<const Tokenizer> tokenizer
        = openTokenizer(folder.epochFolder(0), start.config).valueOrThrow();
    const auto gates = TrainedGates::make(config.gates, start.transformer->layout());
    Parameters parameters(start.transformer->spec(), start.tensors().valueOrThrow(), workType == torch::kBFloat16,
                          device, trainedChoice(config, gates.get()));

    TrainingReport report;
    report.device = device.str();
    report.dtype = dtypeName(workType);
    const TransformerSpec &spec = start.transformer->spec();
    const Dataset trained = asRead(data, spec, tokenizer.get(), control);
    report.warnings.insert(report.warnings.end(), trained.warnings.begin(), trained.warnings.end());
    const auto objective = makeObjective(spec, tokenizer.get(), trained, config, report.warnings, control);
    std::function<Validation(const HeadMask &)> validation;
    if (isGiven(config.validation)) {
        const Dataset set
            = asRead(readDataset(config.validation, control).valueOrThrow(), spec, tokenizer.get(), control);
        const auto task = makeTask({parameters.model(), tokenizer, execution}, set, control).valueOrThrow();
        task->requireReferences();
        validation = [task, &config, &control](const HeadMask &closed) {
            control.progress({kPhaseValidating, "sentences", 0, task->size()});
            return validate(*task, closed, config, control);
        };
    }
    Trainer trainer({execution, config, folder, *start.family, parameters, *objective, gates.get(), validation},
                    std::move(report));
    return trainer.run(control, publish);
}

} // namespace

Result<TrainingReport> train(const TrainingConfig &config, const JobControl &control,
                             const Publish<TrainingReport> &publish)
{
    return guarded([&] { return runTraining(config, control, publish); });
}

Result<TrainingRun> readTrainingRun(const std::filesystem::path &path)
{
    return guarded([&] {
        const RunFolder folder(path);
        if (!folder.hasRun())
            throw Failure(badInput(path.string() + " holds no training run (no train.json)."));
        TrainingRun run{readTrainingConfig(folder.configFile()).valueOrThrow(), {}};
        run.config.output = path;
        run.report.folder = path;
        (void)folder.readHistory(run.report).valueOrThrow();
        run.report.step = std::max(folder.savedStep(), run.report.points.empty() ? 0 : run.report.points.back().step);
        run.report.bestEpoch = bestEpoch(run.report.epochs, run.config.goal);
        run.report.state = finishedState(run.config, run.report).value_or(TrainingState::Running);
        return run;
    });
}

std::string trainingReportText(const TrainingReport &report)
{
    return reportJson(report).dump(2) + "\n";
}

} // namespace headscope
