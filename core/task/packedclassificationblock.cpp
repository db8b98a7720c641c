#include "core/task/packedclassificationblock.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace headscope {

PackedClassificationBlock::PackedClassificationBlock(const Task &task, const ClassificationRunner &runner,
                                                     std::vector<std::int64_t> ids, const HeadMask &base,
                                                     const ReplacementPlan &plan, const std::vector<Products> &quick,
                                                     const RunOptions &run)
    : PackedBlock(task, std::move(ids), base, plan, quick, run), m_runner(runner)
{
    for (std::int64_t id : m_ids)
        m_texts.add(m_task.examples().length(id));
    m_single = Sequences::ofOneRow(std::ssize(m_ids));
    const StackSpec &stack = *spec().stack(side());
    for (int place = 0; place < stack.places(); ++place) {
        if (stack.at(place).attention())
            m_lastAttention = place;
    }
    if (spec().classifier->mean)
        m_lastAttention = -1; // all positions are read to the end
}

std::shared_ptr<const PackedClassificationBlock> PackedClassificationBlock::make(
    const Task &task, const ClassificationRunner &runner, std::vector<std::int64_t> ids, const HeadMask &base,
    const ReplacementPlan &plan, const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const auto quick
        = quickProducts(task.rowModels(), run, task.measure().isDecidedByPredictions(task.primaryMetric(run)), true);
    std::shared_ptr<PackedClassificationBlock> block(
        new PackedClassificationBlock(task, runner, std::move(ids), base, plan, quick, run));
    block->prepareReplacements(control);
    block->runBase(control);
    return block;
}

void PackedClassificationBlock::runBase(const JobControl &control)
{
    const auto parts = inParts(m_ids, examplesOfPart(), [&](std::int64_t id) { return m_task.examples().length(id); });
    std::vector<StackStates> states(parts.size(), StackStates(spec().stack(side())->subLayers.size()));
    std::vector<std::vector<ExampleOutput>> outputs(parts.size());
    m_task.execution().runPieces(std::ssize(parts), [&](std::int64_t p) {
        const auto i = static_cast<std::size_t>(p);
        runBasePart(parts[i], states[i], outputs[i], control);
        if (i < kSampledParts)
            measureExactError(std::span(outputs[i]).first(std::min(outputs[i].size(), kSample)), control);
    });
    std::vector<const StackStates *> kept;
    for (const StackStates &part : states)
        kept.push_back(&part);
    m_states = keep(kept);
    tiers().fixMargins();
    const Precision exactly = this->exactly(); // known only now that all parts have told
    for (auto &part : outputs) {
        for (ExampleOutput &output : part) {
            tiers().recordMargin(marginOf(output));
            m_baseline.push_back(exactly.isDoubtful(marginOf(output)) ? plain({output.index}, {}, control).front()
                                                                      : std::move(output));
        }
    }
}

void PackedClassificationBlock::runBasePart(std::span<const std::int64_t> ids, StackStates &states,
                                            std::vector<ExampleOutput> &outputs, const JobControl &control)
{
    const std::vector<std::int64_t> own(ids.begin(), ids.end());
    Sequences texts;
    std::vector<std::int64_t> tokens, types;
    for (std::int64_t id : own) {
        const auto &text = side() == Side::Encoder ? m_task.examples().source(id) : m_task.examples().prefix(id);
        texts.add(std::ssize(text));
        tokens.insert(tokens.end(), text.begin(), text.end());
        if (!m_task.examples().types.empty()) {
            const auto &ofText = m_task.examples().types[static_cast<std::size_t>(id)];
            types.insert(types.end(), ofText.begin(), ofText.end());
        }
    }
    const auto runWith = [&](const RowModel &model, StackStates *keep) {
        RowExecutor executor(model, side(), texts, control);
        executor.gates = [&](HeadKind kind, int layer) { return baseGates(texts.count(), kind, layer); };
        executor.oneRowFrom = m_lastAttention;
        if (keep)
            record(executor, *keep);
        const auto positions = side() == Side::Encoder ? model.positionsOf(tokens, texts) : executor.positions;
        return classify(executor.runToEnd({0, model.embed(side(), tokens, positions, types), {}}), texts);
    };
    const auto logits = runWith(exact(), &states);
    outputs = m_runner.makeOutputs(*spec().classifier, own, logits);
    tiers().measureQuickErrors([&](const RowModel &quick) {
        const auto errors = (2 * (runWith(quick, nullptr) - logits).abs()).amax(1).cpu().contiguous();
        std::vector<MarginError> ofTexts;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            ofTexts.push_back({marginOf(outputs[i]), errors.data_ptr<float>()[i]});
        return ofTexts;
    });
}

/// The error of exact products on these outputs.
void PackedClassificationBlock::measureExactError(std::span<const ExampleOutput> outputs, const JobControl &control)
{
    std::vector<std::int64_t> ids;
    for (const ExampleOutput &output : outputs)
        ids.push_back(output.index);
    const auto plainly = plain(ids, {}, control);
    float largest = 0;
    for (std::size_t i = 0; i < plainly.size(); ++i) {
        for (std::size_t k = 0; k < plainly[i].logits.size(); ++k)
            largest = std::max(largest, std::abs(plainly[i].logits[k] - outputs[i].logits[k]));
    }
    tiers().recordExactError(2 * largest, std::ssize(outputs));
}

torch::Tensor PackedClassificationBlock::classify(const Rows &read, const Sequences &texts) const
{
    if (!spec().classifier->mean)
        return m_task.model().classify(read.tensor());
    std::vector<torch::Tensor> means;
    for (std::int64_t s = 0; s < texts.count(); ++s)
        means.push_back(read.tensor().narrow(0, texts.first(s), texts.length(s)).mean(0));
    return m_task.model().classify(torch::stack(means));
}

float PackedClassificationBlock::marginOf(const ExampleOutput &output) const
{
    switch (spec().classifier->problem) {
    case ProblemType::SingleLabel: {
        float best = -std::numeric_limits<float>::infinity();
        float second = best;
        for (float logit : output.logits) {
            second = std::max(second, std::min(best, logit));
            best = std::max(best, logit);
        }
        return best - second;
    }
    case ProblemType::MultiLabel: {
        float least = std::numeric_limits<float>::infinity();
        for (float logit : output.logits)
            least = std::min(least, std::abs(logit));
        return 2 * least; // one logit against a number that is exact
    }
    case ProblemType::Regression:
        break;
    }
    return std::numeric_limits<float>::infinity(); // nothing is decided
}

std::vector<PackedBlock::Answer> PackedClassificationBlock::run(const StartPlace &start, std::span<const Pair> pairs,
                                                                const Precision &precision,
                                                                const JobControl &control) const
{
    const std::vector<std::int64_t> places = placesOf(pairs);
    const bool isLast = start.place == m_lastAttention && startsFromContexts();
    std::vector<std::int64_t> ids;
    for (std::int64_t place : places)
        ids.push_back(m_ids[static_cast<std::size_t>(place)]);
    const auto rows = (isLast ? m_single : m_texts).rowsOf(places);
    RowExecutor executor(precision.model, side(), m_texts.only(places), control);
    if (isLast)
        executor.keepOneRow();
    executor.gates = [&](HeadKind kind, int layer) { return gatesOf(pairs, kind, layer); };
    executor.oneRowFrom = isLast ? -1 : m_lastAttention;
    auto outputs
        = m_runner.makeOutputs(*spec().classifier, ids,
                               classify(executor.runToEnd(stateAt(m_states, start.place, rows)), m_texts.only(places)));
    std::vector<Answer> answers(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Decision decision{outputs[i].predicted.size() == 1 ? outputs[i].predicted.front() : 0,
                                marginOf(outputs[i])};
        answers[i].doubtful = precision.isDoubtful(decision.margin);
        answers[i].asked = answers[i].left = decision;
        answers[i].output = std::move(outputs[i]);
    }
    return answers;
}

} // namespace headscope
