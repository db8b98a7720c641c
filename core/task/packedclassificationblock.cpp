#include "core/task/packedclassificationblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace headscope {

PackedClassificationBlock::PackedClassificationBlock(const ClassificationTask &task, std::vector<std::int64_t> ids,
                                                     const HeadMask &base,
                                                     const std::vector<Products> &quick, const RunOptions &run)
    : PackedBlock(task, task.packed(), std::move(ids), base, quick, run), m_task(task)
{
    for (std::int64_t id : m_ids)
        m_texts.add(task.length(id));
    m_firsts = Sequences::ofOneRow(std::ssize(m_ids));
}

std::shared_ptr<const PackedClassificationBlock>
PackedClassificationBlock::make(const ClassificationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const auto quick = quickProducts(run, task.isDecidedByPredictions(task.primaryMetric(run)));
    std::shared_ptr<PackedClassificationBlock> block(
        new PackedClassificationBlock(task, std::move(ids), base, quick, run));
    block->runBase(control);
    return block;
}

void PackedClassificationBlock::runBase(const JobControl &control)
{
    const auto parts = inParts(m_ids);
    std::vector<std::vector<Rows>> hidden(parts.size());
    std::vector<std::vector<Rows>> context(parts.size());
    std::vector<std::vector<ExampleOutput>> outputs(parts.size());
    parallelFor(std::ssize(parts), [&](std::int64_t p) {
        const auto i = static_cast<std::size_t>(p);
        runBasePart(parts[i], hidden[i], context[i], outputs[i], control);
    });
    m_hidden = keep(hidden);
    m_context = keep(context);
    for (auto &part : outputs)
        std::ranges::move(part, std::back_inserter(m_baseline));
}

void PackedClassificationBlock::runBasePart(std::span<const std::int64_t> ids, std::vector<Rows> &hiddenOut,
                                            std::vector<Rows> &contextOut, std::vector<ExampleOutput> &outputs,
                                            const JobControl &control)
{
    const std::vector<std::int64_t> own(ids.begin(), ids.end());
    Sequences texts;
    for (std::int64_t id : own)
        texts.add(m_task.length(id));
    const Rows embedded = withoutPadding(m_task.model().beginEncoder(m_task.batch(own)).hidden, texts);
    const auto runWith = [&](const PackedModel &model, bool keepStates) {
        Rows hidden = embedded;
        for (int layer = 0; layer <= lastLayer(); ++layer) {
            control.checkpoint();
            const HeadFactors factors = baseFactors(texts.count(), HeadKind::Encoder, layer);
            const bool isLast = layer == lastLayer();
            const Rows context = isLast ? model.firstContext(layer, hidden, texts, factors)
                                        : model.encoderContext(layer, hidden, texts, factors);
            if (isLast)
                hidden = firstRows(hidden, texts);
            if (keepStates) {
                hiddenOut.push_back(hidden);
                contextOut.push_back(context);
            }
            hidden = model.closeEncoderLayer(layer, hidden, context);
        }
        return m_task.model().classify(model.finish(HeadKind::Encoder, hidden).tensor());
    };
    const auto logits = runWith(exact(), true);
    outputs = m_task.makeOutputs(own, logits);
    measureQuickErrors(
        [&](const PackedModel &quick) { return 2 * (runWith(quick, false) - logits).abs().max().item<float>(); });
    const std::vector<std::int64_t> few(own.begin(), own.begin() + std::min<std::ptrdiff_t>(std::ssize(own), kSample));
    const auto plainly = plain(few, base(), control);
    for (std::size_t i = 0; i < plainly.size(); ++i) {
        for (std::size_t k = 0; k < plainly[i].logits.size(); ++k)
            tellExactError(2 * std::abs(plainly[i].logits[k] - outputs[i].logits[k]));
    }
    const Precision exactly{exact(), exactMargin()};
    for (ExampleOutput &output : outputs) {
        if (exactly.isDoubtful(marginOf(output)))
            output = plain({output.index}, base(), control).front();
    }
}

torch::Tensor PackedClassificationBlock::logitsFrom(const PackedModel &model, int layer, Rows hidden, Rows context,
                                                    const Sequences &texts, std::span<const Pair> pairs,
                                                    const JobControl &control) const
{
    hidden = model.closeEncoderLayer(layer, hidden, context);
    while (++layer <= lastLayer()) {
        control.checkpoint();
        const HeadFactors factors = factorsOf(pairs, HeadKind::Encoder, layer);
        if (layer == lastLayer())
            hidden = model.closeEncoderLayer(layer, firstRows(hidden, texts),
                                             model.firstContext(layer, hidden, texts, factors));
        else
            hidden = model.closeEncoderLayer(layer, hidden, model.encoderContext(layer, hidden, texts, factors));
    }
    return m_task.model().classify(model.finish(HeadKind::Encoder, hidden).tensor());
}

float PackedClassificationBlock::marginOf(const ExampleOutput &output) const
{
    switch (m_task.model().spec().classifier->problem) {
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
    const bool isLast = start.layer == lastLayer();
    Sequences texts;
    std::vector<std::int64_t> ids;
    for (std::int64_t place : places) {
        texts.add(isLast ? 1 : m_texts.length(place));
        ids.push_back(m_ids[static_cast<std::size_t>(place)]);
    }
    const auto index = static_cast<std::size_t>(start.layer);
    Rows context = gather(m_context[index], isLast ? m_firsts : m_texts, places);
    const PackedModel::Attention &attention = precision.model.encoderAttention(start.layer);
    scaleContexts(context, attention, texts, factorsOf(pairs, HeadKind::Encoder, start.layer));
    auto outputs = m_task.makeOutputs(
        ids, logitsFrom(precision.model, start.layer, gather(m_hidden[index], isLast ? m_firsts : m_texts, places),
                        std::move(context), texts, pairs, control));
    std::vector<Answer> answers(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Decision decision{outputs[i].predicted.size() == 1 ? outputs[i].predicted.front() : 0, marginOf(outputs[i])};
        answers[i].doubtful = precision.isDoubtful(decision.margin);
        answers[i].asked = answers[i].left = decision;
        answers[i].output = std::move(outputs[i]);
    }
    return answers;
}

} // namespace headscope
