
#include "core/analysis/ablationspec.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/input.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/similarityspec.h"
#include "core/data/dataset.h"
#include "core/formats/aliveheads.h"
#include "core/formats/checkpointfolders.h"
#include "core/formats/textlines.h"
#include "core/model/modelfolder.h"
#include "core/results/ablationresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/roles.h"
#include "core/task/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headscope {
namespace {

std::vector<CheckpointFolder> chosenCheckpoints(const DynamicsSpec &spec)
{
    std::vector<CheckpointFolder> all = checkpointFolders(spec.runs).valueOrThrow();
    for (const std::int64_t number : spec.checkpoints) {
        if (std::ranges::find(all, number, &CheckpointFolder::number) == all.end())
            throw Failure(
                usageError(fmt::format("--checkpoints: {} holds none with the number {}.", spec.runs, number)));
    }
    if (!spec.checkpoints.empty())
        std::erase_if(all, [&](const CheckpointFolder &one) {
            return std::ranges::find(spec.checkpoints, one.number) == spec.checkpoints.end();
        });
    return spec.logSpaced > 0 ? logSpaced(all, spec.logSpaced) : all;
}

void requireSameHeads(const HeadLayout &wanted, const HeadLayout &found, const CheckpointFolder &checkpoint)
{
    if (wanted.heads() != found.heads())
        throw Failure(badInput(checkpoint.folder.string()
                               + " has other heads than the open model; the checkpoints of one "
                                 "run all have the same."));
}

std::vector<DynamicsPoint> curveOf(const PruningCurve &curve)
{
    std::vector<DynamicsPoint> points;
    const double whole = curve.points.front().score;
    for (const PruningPoint &point : curve.points) {
        DynamicsPoint &added = points.emplace_back(point.pruned, point.fraction, point.score);
        if (whole != 0)
            added.relative = point.score / whole;
    }
    return points;
}

/// Puts the worth of every head of a checkpoint by one analysis into `field`.
void addToHeads(std::vector<DynamicsHead> &heads, std::optional<double> DynamicsHead::*field, const auto &values,
                auto value)
{
    for (const auto &one : values) {
        const auto head = std::ranges::find(heads, one.head, &DynamicsHead::head);
        if (head != heads.end())
            (*head).*field = one.*value;
    }
}

/// The heads that a run with gates wrote beside the weights.
HeadMask closedHeads(const CheckpointFolder &checkpoint, const HeadLayout &layout)
{
    const std::filesystem::path file = checkpoint.folder / kAliveHeadsFile;
    std::error_code none;
    return std::filesystem::exists(file, none) ? readAliveHeads(file, layout).valueOrThrow() : HeadMask();
}

/// The closed heads of a checkpoint as part of a key.
std::string gatesText(const CheckpointFolder &checkpoint)
{
    const std::filesystem::path file = checkpoint.folder / kAliveHeadsFile;
    std::error_code none;
    return std::filesystem::exists(file, none) ? "+" + readBytes(file).valueOrThrow() : std::string();
}

/// The worth of heads by themselves, and what they do.
void addOthers(const DynamicsSpec &spec, AnalysisInput &input, DynamicsCheckpoint &checkpoint,
               const JobControl &control)
{
    if (!spec.curvesOnly) {
        const AblationSpec ablated{.run = spec.run, .mask = checkpoint.closed, .resamples = 0};
        addToHeads(checkpoint.heads, &DynamicsHead::delta, input.ask(ablated, false, control).heads,
                   &HeadAblation::delta);
        const ConfidenceResult confidence = input.ask(ConfidenceSpec{.run = spec.run}, false, control);
        addToHeads(checkpoint.heads, &DynamicsHead::confidence, confidence.heads, &HeadConfidence::confidence);
    }
    if (spec.roles) {
        const RolesSpec looked{.run = spec.run, .mask = checkpoint.closed};
        for (HeadRoles &one : assignRoles(input.ask(looked, false, control))) {
            const auto head = std::ranges::find(checkpoint.heads, one.head, &DynamicsHead::head);
            if (head != checkpoint.heads.end() && !checkpoint.closed.isMasked(one.head))
                head->roles = std::move(one.labels);
        }
    }
    if (spec.spread) {
        const SimilaritySpec compared{.run = spec.run, .mask = checkpoint.closed, .resamples = 0};
        checkpoint.spreads = input.ask(compared, false, control).layers;
    }
}

/// The checkpoint's pruning curve; of one whose gates have pruned already, its score under them.
void addScores(const DynamicsSpec &spec, AnalysisInput &input, DynamicsCheckpoint &checkpoint, DynamicsResult &result,
               const JobControl &control)
{
    if (!checkpoint.closed.empty()) {
        const EvaluationSpec masked{.run = spec.run, .mask = checkpoint.closed, .resamples = 0};
        const EvaluationResult score = input.ask(masked, false, control);
        result.metric = score.primary().name;
        result.better = score.primary().better;
        result.examples = score.examples;
        checkpoint.weightsHash = score.manifest.weightsHash;
        checkpoint.score = score.primary().value;
        return;
    }
    PruningSpec pruning{.run = spec.run,
                        .kinds = spec.kinds,
                        .reduction = spec.reduction,
                        .normalization = spec.normalization,
                        .resamples = 0};
    pruning.orderOnOther = spec.orderOnOther;
    pruning.batchExamples = spec.batchExamples;
    pruning.exampleLoss = spec.exampleLoss;
    const PruningResult curve = input.ask(pruning, false, control);
    result.metric = curve.metric;
    result.better = curve.better;
    result.orderData = curve.curves.front().orderData;
    result.examples = curve.examples;
    checkpoint.weightsHash = curve.manifest.weightsHash;
    checkpoint.curve = curveOf(curve.curves.front());
    checkpoint.score = checkpoint.curve.front().score;
}

DynamicsCheckpoint measured(const DynamicsSpec &spec, const CheckpointFolder &folder, AnalysisInput &input,
                            DynamicsResult &result, const JobControl &control)
{
    DynamicsCheckpoint checkpoint;
    checkpoint.name = folder.name();
    checkpoint.number = folder.number;
    checkpoint.closed = closedHeads(folder, input.data().task.layout());
    for (const HeadImportance &head : input.ask(importanceOf(spec, checkpoint.closed), control).heads) {
        DynamicsHead &added = checkpoint.heads.emplace_back();
        added.head = head.head;
        added.importance = head.importance;
    }
    addScores(spec, input, checkpoint, result, control);
    addOthers(spec, input, checkpoint, control);
    return checkpoint;
}

} // namespace

void AnalysisOf<DynamicsSpec>::check(const DynamicsSpec &spec)
{
    if (spec.runs.empty())
        throw Failure(usageError("--runs DIR is missing: the folder with the checkpoints."));
    (void)chosenCheckpoints(spec);
}

std::string AnalysisOf<DynamicsSpec>::contents(const DynamicsSpec &spec, const Dataset &, const JobControl &control)
{
    std::string content;
    for (const CheckpointFolder &checkpoint : chosenCheckpoints(spec))
        content += (content.empty() ? "" : " ") + checkpoint.name() + "="
                 + hashModel(checkpoint.folder, control).valueOrThrow() + gatesText(checkpoint);
    return content;
}

DynamicsResult AnalysisOf<DynamicsSpec>::compute(const DynamicsSpec &spec, AnalysisInput &input, Manifest manifest,
                                                 const JobControl &control, const Publish<DynamicsResult> &publish)
{
    const Task &task = input.data().task;
    task.requireReferences();
    DynamicsResult result;
    result.manifest = std::move(manifest);
    const std::vector<CheckpointFolder> checkpoints = chosenCheckpoints(spec);
    for (const CheckpointFolder &folder : checkpoints) {
        control.checkpoint();
        control.progress(
            {{kPhaseOpening, {folder.name()}}, "checkpoints", std::ssize(result.checkpoints), std::ssize(checkpoints)});
        const auto other = input.ofModel(folder.folder, spec.keep, control);
        requireSameHeads(task.layout(), other->data().task.layout(), folder);
        result.checkpoints.push_back(measured(spec, folder, *other, result, control));
        if (publish)
            publish(result);
    }
    return result;
}

/// Published series have such errors: a branch that holds the weights of another.
std::vector<std::string> AnalysisOf<DynamicsSpec>::remarks(const DynamicsResult &result)
{
    std::map<std::string, std::vector<std::string>> names;
    for (const DynamicsCheckpoint &checkpoint : result.checkpoints)
        names[checkpoint.weightsHash].push_back(checkpoint.name);
    std::vector<std::string> remarks;
    for (const auto &[hash, same] : names) {
        if (!hash.empty() && same.size() > 1)
            remarks.push_back(fmt::format("{} have the same weights, byte for byte: are they what their names say?",
                                          fmt::join(same, " and ")));
    }
    return remarks;
}

} // namespace headscope
