#include "core/analysis/speed.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/input.h"
#include "core/base/random.h"
#include "core/model/generate.h"
#include "core/model/removeheads.h"
#include "core/results/headorder.h"
#include "core/task/batching.h"
#include "core/task/forcedoutput.h"
#include "core/task/generationrunner.h"
#include "core/task/task.h"
#include "core/tensor/freememory.h"
#include "core/tensor/memorypeak.h"

#include <ATen/core/grad_mode.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <span>

namespace headscope {
namespace {

/// A model under a mask or without one.
struct MeasuredModel
{
    const Transformer &model;
    HeadGates gates;
};

/// Models that go on with prompts are measured by one pass over these and what follows.
bool generatesFromSource(const Task &task)
{
    return task.generates() && task.model().spec().encoder.has_value();
}

/// Gives the tokens that were generated, or read where none are.
class ForwardPass
{
public:
    ForwardPass(const Task &task, const Decoding &decoding, const JobControl &control)
        : m_generates(generatesFromSource(task)), m_settings(decodingSettings(task.model().spec(), decoding)),
          // Stops like any work, but does not wait for urgent work: the clock is running.
          m_stopping({}, {}, [&control] {
              if (control.cancelled())
                  throw Cancelled();
          })
    {
    }

    std::int64_t operator()(const MeasuredModel &measured, const TokenBatch &batch) const
    {
        const Transformer &model = measured.model;
        if (model.spec().classifier)
            return classify(measured, batch);
        StackState state = model.begin(model.spec().encoder ? Side::Encoder : Side::Decoder, batch);
        while (!model.isAtEnd(state)) {
            m_stopping.checkpoint();
            model.advance(state, state.place + 1, {measured.gates});
        }
        std::int64_t tokens = 0;
        if (m_generates) {
            const auto generated
                = generate(model, model.finishEncoder(state), m_settings, measured.gates, false, m_stopping);
            for (const Generated &output : generated)
                tokens += std::ssize(output.tokens);
        } else {
            if (model.spec().decoder)
                (void)model.logits(model.finish(state));
            tokens = tokensOf(batch);
        }
        waitFor(model);
        return tokens;
    }

    std::string description() const
    {
        if (!m_generates)
            return "plain LibTorch path, one forward pass per batch";
        return "plain LibTorch path, one search per batch ("
             + (m_settings.beams > 1 ? std::to_string(m_settings.beams) + " beams" : std::string("greedy")) + ")";
    }

private:
    static std::int64_t tokensOf(const TokenBatch &batch)
    {
        return std::accumulate(batch.lengths.begin(), batch.lengths.end(), std::int64_t{0});
    }
    static void waitFor(const Transformer &model)
    {
        if (model.device().is_cuda())
            torch::cuda::synchronize(model.device().index());
    }
    std::int64_t classify(const MeasuredModel &measured, const TokenBatch &batch) const
    {
        const Transformer &model = measured.model;
        const TransformerSpec &spec = model.spec();
        const TokenBatch prefix = spec.isEncoderDecoder() ? prefixOf(batch, model) : batch;
        (void)model.classify(classifiedOutput(model, spec.encoder ? &batch : nullptr, spec.decoder ? &prefix : nullptr,
                                              measured.gates, nullptr,
                                              [&](const torch::Tensor &) { m_stopping.checkpoint(); }));
        waitFor(model);
        return tokensOf(batch);
    }
    /// The tokens that the decoder of a classifier reads of a batch of texts.
    static TokenBatch prefixOf(const TokenBatch &batch, const Transformer &model)
    {
        const auto ids = batch.ids.cpu().contiguous();
        const auto *row = ids.data_ptr<std::int64_t>();
        std::vector<std::vector<std::int64_t>> prefixes;
        for (const std::int64_t length : batch.lengths) {
            prefixes.push_back(classifierInput({row, row + length}, model.spec()).valueOrThrow());
            row += ids.size(1);
        }
        return TokenBatch::pad(prefixes, model.spec().generation.padId, model.device());
    }

    bool m_generates;
    GenerationSettings m_settings;
    JobControl m_stopping;
};

/// The examples that are measured, in the order of the data.
std::vector<std::int64_t> drawnExamples(std::int64_t size, std::int64_t wanted, std::uint64_t seed)
{
    auto ids = allIds(size);
    if (wanted > 0 && wanted < size) {
        Random random(seed);
        shuffle(ids, random);
        ids.resize(static_cast<std::size_t>(wanted));
        std::ranges::sort(ids);
    }
    return ids;
}

std::vector<TokenBatch> makeBatches(const Task &task, const std::vector<std::int64_t> &drawn, LengthPolicy policy,
                                    std::int64_t batchSize, const JobControl &control)
{
    std::vector<std::int64_t> ids = drawn;
    if (policy == LengthPolicy::Bucketed) {
        ids.clear();
        for (const auto &one : task.batches(drawn, 1)) // ascending lengths
            ids.insert(ids.end(), one.begin(), one.end());
    }
    std::vector<TokenBatch> batches;
    std::int64_t longest = 0;
    for (std::size_t first = 0; first < ids.size(); first += static_cast<std::size_t>(batchSize)) {
        control.checkpoint();
        const std::size_t last = std::min(ids.size(), first + static_cast<std::size_t>(batchSize));
        batches.push_back(task.readFirst(
            {ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(last)}));
        longest = std::max(longest, batches.back().ids.size(1));
    }
    if (policy != LengthPolicy::Fixed)
        return batches;
    for (TokenBatch &batch : batches) {
        const std::vector<std::int64_t> padding{0, longest - batch.ids.size(1)};
        batch.ids = torch::constant_pad_nd(batch.ids, padding, task.model().spec().generation.padId);
        if (batch.typeIds.defined())
            batch.typeIds = torch::constant_pad_nd(batch.typeIds, padding);
    }
    return batches;
}

/// Measures one way of batching at one batch size.
class Measurement
{
public:
    Measurement(const std::vector<MeasuredModel> &measuredModels, const ForwardPass &forward,
                std::vector<TokenBatch> batches)
        : m_measuredModels(measuredModels), m_forward(forward), m_batches(std::move(batches))
    {
    }

    /// The rows of all contenders, without speeds.
    std::vector<SpeedRow> begun(LengthPolicy policy, std::int64_t batchSize, const JobControl &control) const
    {
        std::vector<SpeedRow> rows;
        for (const ModelVersion contender : kModelVersions) {
            control.checkpoint();
            SpeedRow &row = rows.emplace_back();
            row.lengths = policy;
            row.batchSize = batchSize;
            row.contender = contender;
            row.batches = std::ssize(m_batches);
            row.peakBytes = peak(m_measuredModels[static_cast<std::size_t>(contender)]);
        }
        return rows;
    }

    void warmUp(int count, const JobControl &control) const
    {
        for (int i = 0; i < count; ++i) {
            for (const MeasuredModel &measured : m_measuredModels) {
                control.checkpoint();
                (void)m_forward(measured, m_batches[static_cast<std::size_t>(i) % m_batches.size()]);
            }
        }
    }

    /// Seconds over all batches, and tokens, of every model. The models take turns in going first.
    std::vector<std::pair<double, std::int64_t>> pass(int repeat, const JobControl &control,
                                                      const std::function<void()> &onBatch) const
    {
        std::vector<std::pair<double, std::int64_t>> taken(m_measuredModels.size());
        for (std::size_t b = 0; b < m_batches.size(); ++b) {
            for (std::size_t i = 0; i < m_measuredModels.size(); ++i) {
                const std::size_t r = (i + b + static_cast<std::size_t>(repeat)) % m_measuredModels.size();
                control.checkpoint(); // may wait, but outside the clock
                const auto start = std::chrono::steady_clock::now();
                const std::int64_t tokens = m_forward(m_measuredModels[r], m_batches[b]);
                taken[r].first += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                taken[r].second += tokens;
            }
            onBatch();
        }
        return taken;
    }

private:
    std::optional<std::int64_t> peak(const MeasuredModel &measured) const
    {
        const auto size = [](const TokenBatch &batch) { return batch.ids.numel(); };
        const TokenBatch &largest = *std::ranges::max_element(m_batches, {}, size);
        return peakMemoryOf(m_measuredModels.front().model.device(), [&] { (void)m_forward(measured, largest); });
    }

    const std::vector<MeasuredModel> &m_measuredModels;
    const ForwardPass &m_forward;
    std::vector<TokenBatch> m_batches;
};

/// A contender's speed by its seconds, beside those of the original.
void summarize(SpeedRow &row, const SpeedRow &original, std::int64_t examples)
{
    std::vector<double> examplesPerSecond;
    std::vector<double> tokensPerSecond;
    std::vector<double> gains;
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        examplesPerSecond.push_back(static_cast<double>(examples) / row.seconds[i]);
        tokensPerSecond.push_back(static_cast<double>(row.tokens) / row.seconds[i]);
        gains.push_back(original.seconds[i] / row.seconds[i] - 1);
    }
    row.examplesPerSecond = Spread::of(examplesPerSecond);
    row.tokensPerSecond = Spread::of(tokensPerSecond);
    row.gain = Spread::of(gains);
}

/// Adds what a pass took to the rows of its contenders, the first of which is the original.
void addTimes(std::span<SpeedRow> rows, const std::vector<std::pair<double, std::int64_t>> &taken,
              std::int64_t examples)
{
    for (std::size_t r = 0; r < taken.size(); ++r) {
        rows[r].seconds.push_back(taken[r].first);
        rows[r].tokens = taken[r].second;
        summarize(rows[r], rows.front(), examples);
    }
}

std::int64_t timedBatches(const SpeedSpec &spec, std::int64_t examples)
{
    std::int64_t batches = 0;
    for (const std::int64_t size : spec.batchSizes)
        batches += (examples + size - 1) / size * spec.repeats * std::ssize(spec.lengths);
    return batches;
}

void check(const SpeedSpec &spec)
{
    const auto bad = [](std::int64_t size) { return size < 1; };
    if (spec.batchSizes.empty() || spec.lengths.empty() || std::ranges::any_of(spec.batchSizes, bad))
        throw Failure(usageError("Speed is measured at batch sizes of 1 or more, with at least one way of batching."));
    if (spec.repeats < 1 || spec.warmUp < 0 || spec.examples < 0)
        throw Failure(
            usageError("Speed needs at least one repeat, and no negative count of warm-up batches or examples."));
}

/// A result with what is known of it before anything is measured. `smaller`: the model without the heads.
SpeedResult begunSpeed(const Task &task, const Transformer &smaller, const SpeedSpec &spec, Manifest manifest)
{
    const Transformer &model = task.model();
    SpeedResult result;
    result.manifest = std::move(manifest);
    result.mask = *spec.mask;
    result.tokenUnit = generatesFromSource(task) ? "generated tokens" : "input tokens";
    result.threads = task.execution().threads();
    result.repeats = spec.repeats;
    result.warmUp = spec.warmUp;
    result.heads = model.layout().size();
    result.headsLeft = smaller.layout().size();
    result.parameters = parameterCount(model.spec());
    result.parametersLeft = parameterCount(smaller.spec());
    const auto entryBytes = static_cast<std::int64_t>(c10::elementSize(model.dtype()));
    result.weightBytes = result.parameters * entryBytes;
    result.weightBytesLeft = result.parametersLeft * entryBytes;
    return result;
}

} // namespace

SpeedResult measureSpeed(const Task &task, const SpeedSpec &spec, Manifest manifest, const JobControl &control,
                         const Publish<SpeedResult> &publish)
{
    check(spec);
    const torch::NoGradGuard noGrad;
    const Transformer &model = task.model();
    const Transformer smaller = withoutHeads(model, *spec.mask);
    const std::vector<MeasuredModel> measuredModels{
        {model, {}}, {model, HeadGates::fromMask(*spec.mask, model.layout(), model.options())}, {smaller, {}}};
    const ForwardPass forward(task, spec.run.decoding, control);
    const auto ids = drawnExamples(task.size(), spec.examples, spec.run.seed);
    if (ids.empty())
        throw Failure(badInput("The data set is empty, so there is nothing to measure speed with."));

    // One batch after the other, on all threads.
    const LibTorchThreads threads(task.execution().threads());
    SpeedResult result = begunSpeed(task, smaller, spec, std::move(manifest));
    result.path = forward.description();
    result.examples = std::ssize(ids);
    Progress progress{kPhaseSpeed, "batches", 0, timedBatches(spec, std::ssize(ids))};
    for (const LengthPolicy policy : spec.lengths) {
        for (const std::int64_t size : spec.batchSizes) {
            const Measurement measurement(measuredModels, forward, makeBatches(task, ids, policy, size, control));
            measurement.warmUp(spec.warmUp, control);
            const std::size_t first = result.rows.size();
            std::ranges::move(measurement.begun(policy, size, control), std::back_inserter(result.rows));
            for (int repeat = 0; repeat < spec.repeats; ++repeat) {
                const auto taken = measurement.pass(repeat, control, [&] {
                    ++progress.done;
                    control.progress(progress);
                });
                addTimes(std::span(result.rows).subspan(first), taken, result.examples);
                if (publish)
                    publish(result);
            }
        }
    }
    return result;
}

SpeedResult AnalysisOf<SpeedSpec>::compute(const SpeedSpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<SpeedResult> &publish)
{
    SpeedSpec decided = spec;
    if (!decided.mask) {
        const auto order = orderByValue(worthOf(input.ask(ImportanceSpec{.run = spec.run}, control)));
        const auto count
            = static_cast<std::ptrdiff_t>(static_cast<double>(order.size()) * std::clamp(spec.fraction, 0.0, 1.0));
        decided.mask = HeadMask(PruningOrder(order.begin(), order.begin() + count));
    }
    SpeedResult result = measureSpeed(input.data().task, decided, std::move(manifest), control, publish);
    returnFreeMemory();
    return result;
}

} // namespace headscope
