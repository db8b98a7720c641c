#include "core/train/trainer.h"

#include "core/base/phases.h"
#include "core/formats/aliveheads.h"
#include "core/formats/atomicfile.h"
#include "core/model/modelfolder.h"
#include "core/train/schedule.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

/// Tokens that one thread handles at once: large enough for its matrix products, small enough for its cache, and half a
/// batch at most, so that two cores have something to do.
std::int64_t partTokens(const TrainingConfig &config, const torch::Device &device)
{
    return device.is_cpu() ? std::clamp<std::int64_t>(config.batchTokens / 2, 512, 1024) : config.batchTokens;
}

void takeMeasured(const Validation &validation, TrainingEpoch &epoch)
{
    epoch.validationLoss = validation.loss;
    epoch.score = validation.score;
    epoch.metric = validation.metric;
    epoch.better = validation.better;
}

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

torch::ScalarType saveType(const std::string &name)
{
    return name == "f16" ? torch::kFloat16 : name == "bf16" ? torch::kBFloat16 : torch::kFloat32;
}

/// Lets a cancel through between any two layers, on the way forward and on the way back.
LayerListener cancelPoint(const JobControl &control)
{
    return [&control](const torch::Tensor &hidden) {
        control.checkpoint();
        if (!hidden.requires_grad()) // of a frozen stack
            return;
        hidden.register_hook([&control](const torch::Tensor &gradient) {
            control.checkpoint();
            return gradient;
        });
    };
}

} // namespace

Trainer::Trainer(TrainingParts parts, TrainingReport report)
    : m_parts(std::move(parts)), m_report(std::move(report)),
      m_optimizer(m_parts.config.optimizer, m_parts.parameters.values(), m_parts.execution),
      m_partTokens(partTokens(m_parts.config, m_parts.parameters.values().device()))
{
    const Parameters &parameters = m_parts.parameters;
    const double rate = m_parts.config.schedule.learningRate;
    m_optimizer.setTail(parameters.gateCount(), m_parts.config.gates.learningRate / rate);
    m_report.parameters = parameters.count() - parameters.gateCount();
    m_report.trainExamples = std::ssize(m_parts.objective.lengths());
    m_report.folder = m_parts.folder.path();
}

void Trainer::resume()
{
    auto saved = m_parts.folder.loadState().valueOrThrow();
    if (saved) {
        if (saved->values.numel() != m_parts.parameters.count())
            throw Failure(
                badInput(m_parts.folder.path().string() + ": the saved state is that of a model of another size."));
        m_place = saved->place;
        m_parts.parameters.values().copy_(saved->values);
        m_optimizer.restore(m_place.optimizerSteps, saved->firstMoment, saved->secondMoment);
        m_report.resumedFrom = m_place.step;
        (void)m_parts.folder.readHistory(m_report).valueOrThrow();
    }
    const auto isLater = [&](const auto &entry) { return entry.step > m_place.step; };
    std::erase_if(m_report.points, isLater);
    std::erase_if(m_report.epochs, [&](const TrainingEpoch &epoch) { return epoch.epoch > m_place.epoch; });
    (void)m_parts.folder.rewriteHistory(m_report).valueOrThrow();
    m_report.bestEpoch = bestEpoch(m_report.epochs, m_parts.config.goal);
    m_report.step = m_place.step;
    m_parts.parameters.refreshHalves();
    m_savedAt = m_place.seconds;
}

TrainingReport Trainer::run(const JobControl &control, const Publish<TrainingReport> &publish)
{
    m_publish = publish;
    resume();
    m_report.state = TrainingState::Running;
    try {
        measureStart();
        while (!finishedState(m_parts.config, m_report))
            runEpoch(control);
    } catch (const Cancelled &) {
        saveState();
        if (m_publish)
            m_publish(m_report);
        throw;
    }
    m_report.state = *finishedState(m_parts.config, m_report);
    if (m_publish)
        m_publish(m_report);
    return m_report;
}

void Trainer::estimateTotal(std::size_t batchesOfEpoch)
{
    const auto &config = m_parts.config;
    m_report.totalSteps
        = m_place.step - m_place.batch + static_cast<std::int64_t>(batchesOfEpoch) * (config.epochs - m_place.epoch);
    if (config.steps > 0)
        m_report.totalSteps = std::min(m_report.totalSteps, config.steps);
}

void Trainer::runEpoch(const JobControl &control)
{
    const auto &config = m_parts.config;
    const auto batches = epochBatches(m_parts.objective.lengths(), config.batchTokens, config.seed, m_place.epoch);
    estimateTotal(batches.size());
    while (m_place.batch < std::ssize(batches)) {
        if (config.steps > 0 && m_place.step >= config.steps)
            break;
        control.checkpoint();
        showProgress(control);
        const auto start = Clock::now();
        const StepResult result = update(batches[static_cast<std::size_t>(m_place.batch)], control);
        record(result, secondsSince(start), batches.size());
        if (m_place.seconds - m_savedAt >= config.saveMinutes * 60)
            saveState();
    }
    finishEpoch();
}

torch::Tensor Trainer::partGradient(const std::vector<std::int64_t> &part, std::uint64_t seed, double &crossEntropy,
                                    const JobControl &control) const
{
    const torch::AutoGradMode gradients(true);
    Dropout dropout(m_parts.config.dropout, seed, m_parts.config.plain);
    // All parts of a batch have the same gates: their noise is that of the update.
    const TrainedGates *gates = m_parts.gates;
    const HeadGates drawn
        = gates ? gates->gatesOf(gates->draw(m_parts.parameters.gateLeaf(), m_parts.config.seed, m_place.step))
                : HeadGates();
    const ObjectiveLoss loss
        = m_parts.objective.loss(m_parts.parameters.trainedModel(), part, drawn, dropout, cancelPoint(control));
    crossEntropy = loss.crossEntropy;
    return m_parts.parameters.flatten(
        torch::autograd::grad({loss.loss}, m_parts.parameters.leaves(), {}, false, false, true));
}

/// Gradients of the penalty on open gates, times the tokens that the sum of losses is divided by.
torch::Tensor Trainer::penaltyGradient(std::int64_t tokens) const
{
    const torch::AutoGradMode gradients(true);
    const Parameters &parameters = m_parts.parameters;
    const torch::Tensor penalty = m_parts.gates ? m_parts.gates->penalty(parameters.gateLeaf()) : torch::Tensor();
    if (!penalty.defined())
        return {};
    const auto gradient = torch::autograd::grad({penalty * static_cast<double>(tokens)}, {parameters.gateLeaf()});
    std::vector<torch::Tensor> all(parameters.leaves().size());
    all.back() = gradient.front();
    return parameters.flatten(all);
}

HeadMask Trainer::closedHeads() const
{
    return m_parts.gates ? m_parts.gates->mask(m_parts.parameters.gates()) : HeadMask();
}

Trainer::StepResult Trainer::update(const std::vector<std::int64_t> &batch, const JobControl &control)
{
    const auto &config = m_parts.config;
    const auto parts = batchParts(batch, m_parts.objective.lengths(), m_partTokens);
    std::vector<torch::Tensor> gradients(parts.size());
    std::vector<double> crossEntropies(parts.size());
    m_parts.execution.parallelFor(std::ssize(parts), [&](std::int64_t i) {
        const auto index = static_cast<std::size_t>(i);
        const std::uint64_t seed
            = (config.seed << 40) + (static_cast<std::uint64_t>(m_place.step) << 12) + static_cast<std::uint64_t>(i);
        gradients[index] = partGradient(parts[index], seed, crossEntropies[index], control);
    });
    StepResult result;
    result.tokens = m_parts.objective.targets(batch);
    result.crossEntropy = std::accumulate(crossEntropies.begin(), crossEntropies.end(), 0.0);
    if (torch::Tensor penalty = penaltyGradient(result.tokens); penalty.defined())
        gradients.push_back(std::move(penalty));
    const double rate = learningRate(config.schedule, m_place.step + 1, m_report.totalSteps);
    result.gradientNorm = m_optimizer.step(m_parts.parameters.values(), gradients,
                                           1.0 / static_cast<double>(std::max<std::int64_t>(1, result.tokens)), rate);
    if (m_parts.gates) {
        auto gates = m_parts.parameters.gates();
        m_parts.gates->constrain(gates);
    }
    m_parts.parameters.refreshHalves();
    return result;
}

void Trainer::record(const StepResult &result, double seconds, std::size_t batchesOfEpoch)
{
    ++m_place.step;
    ++m_place.batch;
    m_place.optimizerSteps = m_optimizer.steps();
    m_place.epochLoss += result.crossEntropy;
    m_place.epochTokens += static_cast<double>(result.tokens);
    m_place.seconds += seconds;
    m_report.step = m_place.step;
    if (!std::isfinite(result.gradientNorm) && m_report.warnings.size() < 5)
        m_report.warnings.push_back(fmt::format("Update {}: the gradient is not finite; nothing was changed. If this "
                                                "happens often, lower the learning rate.",
                                                m_place.step));
    TrainingPlace::Window &window = m_place.window;
    window.updates += 1;
    window.crossEntropy += result.crossEntropy;
    window.tokens += static_cast<double>(result.tokens);
    window.gradientNorm += result.gradientNorm;
    window.seconds += seconds;
    // By the number of the update, so that a resumed run has the points of an uninterrupted one. The last one always
    // has a point.
    const bool isLast
        = m_place.batch >= static_cast<std::int64_t>(batchesOfEpoch) || m_place.step == m_report.totalSteps;
    if (m_place.step % m_parts.config.reportSteps != 0 && !isLast)
        return;
    const TrainingPoint point = nextPoint(batchesOfEpoch);
    m_place.window = {};
    m_report.points.push_back(point);
    (void)m_parts.folder.append(point).valueOrThrow();
    if (m_publish)
        m_publish(m_report);
}

TrainingPoint Trainer::nextPoint(std::size_t batchesOfEpoch) const
{
    const TrainingPlace::Window &window = m_place.window;
    TrainingPoint point{.step = m_place.step,
                        .epoch = static_cast<double>(m_place.epoch)
                               + static_cast<double>(m_place.batch) / static_cast<double>(batchesOfEpoch),
                        .loss = window.crossEntropy / window.tokens,
                        .gradientNorm = window.gradientNorm / static_cast<double>(window.updates),
                        .learningRate = learningRate(m_parts.config.schedule, m_place.step, m_report.totalSteps),
                        .tokensPerSecond = window.tokens / window.seconds};
    if (m_parts.gates)
        point.closed = m_parts.gates->closed(m_parts.parameters.gates(), m_place.step);
    if (m_parts.config.startFrom.empty() || m_parts.config.freshWeights)
        point.spread = headSpread(m_parts.parameters.model()->spec(), m_parts.parameters.tensors());
    return point;
}

/// The score that fine-tuning begins with: fresh weights would be measured for nothing.
void Trainer::measureStart()
{
    const auto &config = m_parts.config;
    if (m_report.before || m_place.step > 0 || !m_parts.validate || config.startFrom.empty() || config.freshWeights)
        return;
    TrainingEpoch start;
    start.folder = RunFolder::epochName(0);
    takeMeasured(m_parts.validate({}), start);
    (void)m_parts.folder.append(start).valueOrThrow();
    m_report.before = start;
    if (m_publish)
        m_publish(m_report);
}

void Trainer::finishEpoch()
{
    TrainingEpoch epoch;
    epoch.epoch = m_place.epoch + 1;
    epoch.step = m_place.step;
    epoch.trainLoss = m_place.epochTokens > 0 ? m_place.epochLoss / m_place.epochTokens : 0;
    epoch.seconds = m_place.seconds;
    epoch.folder = RunFolder::epochName(epoch.epoch);
    if (m_parts.gates)
        epoch.mask = closedHeads();
    if (m_parts.validate)
        takeMeasured(m_parts.validate(closedHeads()), epoch);
    saveEpochFolder(epoch.epoch);
    (void)m_parts.folder.append(epoch).valueOrThrow();
    m_report.epochs.push_back(epoch);
    m_report.bestEpoch = bestEpoch(m_report.epochs, m_parts.config.goal);
    m_place.epoch = epoch.epoch;
    m_place.batch = 0;
    m_place.epochLoss = m_place.epochTokens = 0;
    saveState();
    if (m_publish)
        m_publish(m_report);
}

void Trainer::saveEpochFolder(std::int64_t epoch) const
{
    const std::filesystem::path folder = m_parts.folder.epochFolder(epoch);
    std::error_code error;
    if (std::filesystem::exists(folder, error))
        return; // finished by a run that was killed before it could say so: the same numbers
    (void)makeFolderAtomically(folder, [&](const std::filesystem::path &temporary) -> Result<Done> {
        auto copied = copyModelFiles(m_parts.folder.epochFolder(0), temporary);
        if (!copied.isOk())
            return copied;
        if (m_parts.gates) {
            const auto alive = aliveHeads(closedHeads(), m_parts.parameters.model()->layout());
            (void)writeFileAtomically(temporary / kAliveHeadsFile, alive.dump() + "\n").valueOrThrow();
        }
        return writeModelWeights(temporary, m_parts.family, m_parts.parameters.model()->spec(),
                                 m_parts.parameters.tensors(), saveType(m_parts.config.saveDtype));
    }).valueOrThrow();
}

void Trainer::saveState()
{
    const torch::NoGradGuard noGrad;
    (void)m_parts.folder
        .saveState({m_place, m_parts.parameters.values(), m_optimizer.firstMoment(), m_optimizer.secondMoment()})
        .valueOrThrow();
    m_savedAt = m_place.seconds;
}

void Trainer::showProgress(const JobControl &control) const
{
    PhaseNow phase(kPhaseEpoch, {std::to_string(m_place.epoch + 1), std::to_string(m_parts.config.epochs)});
    if (!m_report.points.empty()) {
        const TrainingPoint &last = m_report.points.back();
        phase.phase = kPhaseEpochLoss;
        phase.details.push_back(fmt::format("{:.3f}", last.loss));
        phase.details.push_back(fmt::format("{:.0f}", last.tokensPerSecond));
    }
    control.progress({phase, "updates", m_place.step, m_report.totalSteps});
}

} // namespace headscope
