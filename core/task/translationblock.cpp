#include "core/task/translationblock.h"

#include "core/task/replacements.h"
#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

std::int64_t bytesOf(const torch::Tensor &tensor)
{
    return tensor.defined() ? tensor.numel() * static_cast<std::int64_t>(tensor.element_size()) : 0;
}

std::int64_t bytesOf(const std::vector<KeyValue> &layers)
{
    std::int64_t bytes = 0;
    for (const KeyValue &layer : layers)
        bytes += bytesOf(layer.key) + bytesOf(layer.value);
    return bytes;
}

torch::Tensor indexTensor(const std::vector<std::int64_t> &values, const torch::Device &device)
{
    return torch::tensor(values, torch::kInt64).to(device);
}

} // namespace

struct TranslationBlock::Start
{
    int encoder = -1; ///< first encoder layer with a changed head; −1: the encoder is as in the base run
    int decoder = -1; ///< likewise for decoder and cross heads

    bool unchanged() const { return encoder < 0 && decoder < 0; }
};

TranslationBlock::TranslationBlock(const TranslationTask &task, const HeadMask &base, const ReplacementPlan &plan,
                                   const RunOptions &run)
    : m_task(task), m_model(task.model()), m_settings(task.settings(run.decoding)), m_base(base),
      m_plan(plan), m_run(run)
{
}

std::shared_ptr<const TranslationBlock> TranslationBlock::make(const TranslationTask &task,
                                                               std::vector<std::int64_t> ids, const HeadMask &base,
                                                               const ReplacementPlan &plan, const RunOptions &run,
                                                               const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<TranslationBlock> block(new TranslationBlock(task, base, plan, run));
    block->m_baseline.resize(ids.size());
    block->m_ids = ids;
    if (plan.kind == Replacement::Mean)
        block->m_meanContexts = (plan.reference ? *plan.reference : task).meanContexts(control);
    std::map<std::int64_t, std::size_t> placeOf;
    for (std::size_t i = 0; i < ids.size(); ++i)
        placeOf[ids[i]] = i;
    const auto batches = task.batches(std::move(ids), run.batchTokens);
    block->m_batches.resize(batches.size());
    parallelFor(std::ssize(batches), [&](std::int64_t b) {
        Batch &batch = block->m_batches[static_cast<std::size_t>(b)];
        for (std::int64_t id : batches[static_cast<std::size_t>(b)])
            batch.places.push_back(placeOf.at(id));
        block->runBase(batch, batches[static_cast<std::size_t>(b)], control);
    });
    for (const Batch &batch : block->m_batches)
        block->countMemory(batch);
    return block;
}

void TranslationBlock::runBase(Batch &batch, const std::vector<std::int64_t> &ids, const JobControl &control)
{
    const HeadGates gates = HeadGates::fromMask(m_base, m_model.layout(), m_model.options());
    for (std::int64_t draw = 0; m_plan.kind == Replacement::Resample && draw < m_plan.draws; ++draw) {
        control.checkpoint();
        batch.standIns.push_back(standInContexts(m_plan, m_task, ids, draw, gates, m_run.seed));
    }
    EncoderState state = m_model.beginEncoder(m_task.sourceBatch(ids));
    for (int layer = 0; layer < m_model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        batch.encoder.push_back(state);
        m_model.advanceEncoder(state, layer + 1, gates);
    }
    batch.encoder.push_back(state);
    batch.memory = m_model.finishEncoder(state);

    auto generated = m_settings.beams > 1
                         ? beamSearch(m_model, batch.memory, m_settings, gates, control)
                         : GreedySearch(m_model, m_settings).run(batch.memory, gates, control);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        batch.tokens.push_back(generated[i].tokens);
        m_baseline[batch.places[i]] = m_task.makeOutput(ids[i], std::move(generated[i]));
    }
    if (m_settings.beams == 1 && !m_run.plain)
        keepDecoderStates(batch, control);
}

void TranslationBlock::keepDecoderStates(Batch &batch, const JobControl &control) const
{
    const HeadGates gates = HeadGates::fromMask(m_base, m_model.layout(), m_model.options());
    const int layers = m_model.spec().decoder->layers();
    std::vector<std::vector<std::int64_t>> inputs;
    for (const auto &tokens : batch.tokens) {
        inputs.push_back(decoderInput(tokens, m_task.model().spec().generation));
        for (std::size_t t = 0; t < tokens.size(); ++t)
            batch.historyLengths.push_back(static_cast<std::int64_t>(t) + 1);
    }
    const TokenBatch input = TokenBatch::pad(inputs, m_settings.padId, m_model.device());
    batch.validTargets = validPositions(input.lengths, input.ids.size(1), m_model.device());
    batch.cross = m_model.crossKeyValues(batch.memory);
    batch.self.resize(static_cast<std::size_t>(layers));
    DecoderState state = m_model.beginDecoder(input);
    for (int layer = 0; layer < layers; ++layer) {
        control.checkpoint();
        batch.decoder.push_back(state);
        m_model.advanceDecoder(state, layer + 1, batch.cross, batch.memory.keyBias, gates, &batch.self);
    }
}

void TranslationBlock::countMemory(const Batch &batch)
{
    for (const EncoderState &state : batch.encoder)
        m_memory += bytesOf(state.hidden);
    for (const DecoderState &state : batch.decoder)
        m_memory += bytesOf(state.hidden);
    m_memory += bytesOf(batch.cross) + bytesOf(batch.self);
    for (const Contexts &contexts : batch.standIns) {
        for (const auto &[name, tensor] : contexts)
            m_memory += bytesOf(tensor);
    }
}

TranslationBlock::Start TranslationBlock::startOf(const Variant &variant) const
{
    Start start;
    for (const HeadRef &head : changedHeads(variant, m_base)) {
        int &first = head.kind == HeadKind::Encoder ? start.encoder : start.decoder;
        if (first < 0 || head.layer < first)
            first = head.layer;
    }
    return start;
}

HeadGates TranslationBlock::gatesFor(const Variant &variant, const Batch &batch) const
{
    const Contexts *contexts = variant.replacement == Replacement::Mean ? &m_meanContexts
                               : variant.replacement == Replacement::Resample
                                   ? &batch.standIns.at(static_cast<std::size_t>(variant.draw))
                                   : nullptr;
    return headscope::gatesFor(variant, m_base, m_model.layout(), m_model.options(), contexts);
}

std::vector<ExampleOutput> TranslationBlock::outputs(const Variant &variant, const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    const Start start = startOf(variant);
    if (start.unchanged() && !m_run.plain)
        return m_baseline;
    std::vector<ExampleOutput> outputs(m_ids.size());
    parallelFor(std::ssize(m_batches), [&](std::int64_t b) {
        control.checkpoint();
        const Batch &batch = m_batches[static_cast<std::size_t>(b)];
        std::vector<Generated> generated = run(batch, start, gatesFor(variant, batch), control);
        for (std::size_t i = 0; i < generated.size(); ++i) {
            const std::size_t place = batch.places[i];
            if (generated[i].tokens == batch.tokens[i]) { // no need to decode the text again
                outputs[place] = m_baseline[place];
                outputs[place].score = generated[i].score;
            } else {
                outputs[place] = m_task.makeOutput(m_ids[place], std::move(generated[i]));
            }
        }
    });
    return outputs;
}

std::vector<Generated> TranslationBlock::run(const Batch &batch, const Start &start, const HeadGates &gates,
                                             const JobControl &control) const
{
    const int layers = m_model.spec().encoder.layers();
    const bool newMemory = m_run.plain || start.encoder >= 0;
    Memory memory = batch.memory;
    if (newMemory) {
        EncoderState state = batch.encoder[m_run.plain ? 0 : static_cast<std::size_t>(start.encoder)];
        while (state.layer < layers) {
            control.checkpoint();
            m_model.advanceEncoder(state, state.layer + 1, gates);
        }
        memory = m_model.finishEncoder(state);
    }
    if (m_settings.beams > 1)
        return beamSearch(m_model, memory, m_settings, gates, control);
    if (m_run.plain || !ScoreProcessor(m_settings).dependsOnLengthOnly())
        return GreedySearch(m_model, m_settings).run(memory, gates, control);
    return verify(batch, memory, newMemory ? 0 : start.decoder, newMemory, gates, control);
}

namespace {

/// argmax of the processed scores at hidden states [P, D], in slices that bound memory and the time to a cancel.
std::vector<std::int64_t> greedyChoices(const Transformer &model, const GenerationSettings &settings,
                                        const torch::Tensor &hidden, const std::vector<std::int64_t> &historyLengths,
                                        const JobControl &control)
{
    const ScoreProcessor processor(settings);
    const std::int64_t slice = std::max<std::int64_t>(64, (std::int64_t(1) << 22) / model.spec().decoder->vocabulary);
    std::vector<std::int64_t> choices;
    choices.reserve(historyLengths.size());
    for (std::int64_t first = 0; first < hidden.size(0); first += slice) {
        control.checkpoint();
        const std::int64_t count = std::min(slice, hidden.size(0) - first);
        auto scores = model.logits(hidden.narrow(0, first, count));
        processor.banLogits(scores);
        processor.applyByLength(scores, {historyLengths.begin() + first, historyLengths.begin() + first + count});
        const auto best = scores.argmax(-1).cpu();
        const auto *tokens = best.data_ptr<std::int64_t>();
        choices.insert(choices.end(), tokens, tokens + count);
    }
    return choices;
}

} // namespace

std::vector<Generated> TranslationBlock::verify(const Batch &batch, const Memory &memory, int fromDecoderLayer,
                                                bool newMemory, const HeadGates &gates,
                                                const JobControl &control) const
{
    const std::vector<KeyValue> cross = newMemory ? m_model.crossKeyValues(memory) : batch.cross;
    std::vector<KeyValue> self = batch.self;
    DecoderState state = batch.decoder[static_cast<std::size_t>(fromDecoderLayer)];
    while (state.layer < m_model.spec().decoder->layers()) {
        control.checkpoint();
        m_model.advanceDecoder(state, state.layer + 1, cross, memory.keyBias, gates, &self);
    }
    const auto hidden = m_model.finishDecoder(state).index({batch.validTargets});
    const auto choices = greedyChoices(m_model, m_settings, hidden, batch.historyLengths, control);

    std::vector<Generated> results(batch.tokens.size());
    std::vector<std::int64_t> changed; // rows that leave the base output
    std::vector<std::int64_t> filled;  // positions of theirs that the variant shares with it
    std::vector<std::vector<std::int64_t>> histories;
    auto choice = choices.begin();
    for (std::size_t r = 0; r < batch.tokens.size(); ++r) {
        const auto &tokens = batch.tokens[r];
        const auto agrees = std::mismatch(tokens.begin(), tokens.end(), choice).first - tokens.begin();
        if (agrees == std::ssize(tokens)) {
            results[r].tokens = tokens;
        } else {
            changed.push_back(static_cast<std::int64_t>(r));
            filled.push_back(agrees + 1);
            std::vector<std::int64_t> history{m_settings.startId};
            history.insert(history.end(), tokens.begin(), tokens.begin() + agrees);
            history.push_back(choice[agrees]);
            histories.push_back(std::move(history));
        }
        choice += std::ssize(tokens);
    }
    if (changed.empty())
        return results;

    const auto rows = indexTensor(changed, m_model.device());
    const std::int64_t longest = std::ranges::max(filled);
    DecodeCache cache;
    cache.lengths = filled;
    cache.memoryBias = memory.keyBias.index_select(0, rows);
    for (std::size_t l = 0; l < self.size(); ++l) {
        cache.cross.push_back(cross[l].selectRows(rows));
        cache.self.push_back({self[l].key.narrow(2, 0, longest).index_select(0, rows),
                              self[l].value.narrow(2, 0, longest).index_select(0, rows)});
    }
    auto continued = GreedySearch(m_model, m_settings)
                         .resume(std::move(cache), std::move(histories), gates.selectRows(rows), control);
    for (std::size_t i = 0; i < changed.size(); ++i)
        results[static_cast<std::size_t>(changed[i])] = std::move(continued[i]);
    return results;
}

} // namespace headscope
