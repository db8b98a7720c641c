#include "core/task/translationtask.h"

#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "core/task/batching.h"
#include "core/task/packedtranslation.h"
#include "core/task/translationblock.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

std::string idsAsText(const std::vector<std::int64_t> &ids)
{
    std::string text;
    for (std::int64_t id : ids)
        text += (text.empty() ? "" : " ") + std::to_string(id);
    return text;
}

} // namespace

Result<std::shared_ptr<const TranslationTask>> TranslationTask::make(std::shared_ptr<const Transformer> model,
                                                                     std::shared_ptr<const Tokenizer> tokenizer,
                                                                     const Dataset &dataset, const JobControl &control)
{
    auto task = std::shared_ptr<TranslationTask>(new TranslationTask);
    auto examples = TranslationExamples::make(model->spec(), tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    task->m_examples = std::move(examples).value();
    task->m_textMetrics.push_back(std::make_unique<BleuMetric>());
    task->m_textMetrics.push_back(std::make_unique<ChrfMetric>());
    for (const auto &metric : task->m_textMetrics)
        task->m_metrics.push_back(metric.get());
    task->m_references.resize(task->m_metrics.size());
    for (std::size_t m = 0; task->hasReferences() && m < task->m_metrics.size(); ++m) {
        for (std::size_t row = 0; row < dataset.examples.size(); ++row) {
            const Example &example = dataset.examples[row];
            const std::string reference = !tokenizer                  ? idsAsText(task->m_examples.targets[row])
                                          : !example.labels.empty() && example.reference.empty()
                                              ? tokenizer->decode(task->m_examples.targets[row])
                                              : example.reference;
            task->m_references[m].push_back(task->m_textMetrics[m]->prepare(reference));
        }
    }
    task->m_packed = std::make_unique<PackedModels>(model);
    task->m_model = std::move(model);
    task->m_tokenizer = std::move(tokenizer);
    return std::shared_ptr<const TranslationTask>(std::move(task));
}

void TranslationTask::requireReferences() const
{
    if (!m_examples.hasTargets)
        throw Failure(badInput("The data set has no references, so nothing can be measured. Give a reference file "
                               "(--reference) or a label column."));
}

void TranslationTask::statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const
{
    m_textMetrics[metric]->statistics(output.text, *m_references[metric][static_cast<std::size_t>(output.index)], out);
}

GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding)
{
    GenerationSettings settings = spec.generation;
    if (decoding.beams)
        settings.beams = *decoding.beams;
    if (decoding.lengthPenalty)
        settings.lengthPenalty = *decoding.lengthPenalty;
    if (decoding.maxLength)
        settings.maxLength = *decoding.maxLength;
    settings.maxLength = std::min(settings.maxLength, spec.maxPositions);
    return settings;
}

GenerationSettings TranslationTask::settings(const Decoding &decoding) const
{
    return decodingSettings(m_model->spec(), decoding);
}

TokenBatch TranslationTask::sourceBatch(const std::vector<std::int64_t> &ids) const
{
    return m_examples.sourceBatch(ids, *m_model);
}

TokenBatch TranslationTask::decoderInputs(const std::vector<std::int64_t> &ids) const
{
    requireReferences();
    return m_examples.decoderInputs(ids, *m_model);
}

ExampleOutput TranslationTask::makeOutput(std::int64_t id, Generated generated) const
{
    ExampleOutput output;
    output.index = id;
    output.text = m_tokenizer ? m_tokenizer->decode(generated.tokens) : idsAsText(generated.tokens);
    output.tokens = std::move(generated.tokens);
    output.score = generated.score;
    return output;
}

std::vector<std::vector<std::int64_t>> TranslationTask::batches(std::vector<std::int64_t> ids,
                                                                std::int64_t batchTokens) const
{
    return batchesByLength(std::move(ids), batchTokens, [&](std::int64_t id) { return std::ssize(source(id)); });
}

std::vector<ExampleOutput> TranslationTask::plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                                         const RunOptions &run, bool withScores,
                                                         const JobControl &control, const HeadScales &scales) const
{
    const torch::NoGradGuard noGrad;
    const GenerationSettings settings = this->settings(run.decoding);
    const HeadGates gates = HeadGates::fromMask(mask, layout(), m_model->options(), scales);
    return outputsByBatch(ids, run, control, [&](const std::vector<std::int64_t> &batch) {
        const Memory memory = m_model->encode(sourceBatch(batch), gates);
        auto generated = settings.beams > 1 ? beamSearch(*m_model, memory, settings, gates, control)
                                            : GreedySearch(*m_model, settings, withScores).run(memory, gates, control);
        std::vector<ExampleOutput> outputs;
        for (std::size_t i = 0; i < batch.size(); ++i)
            outputs.push_back(makeOutput(batch[i], std::move(generated[i])));
        return outputs;
    });
}

std::shared_ptr<const PreparedBlock> TranslationTask::prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                              const ReplacementPlan &plan, const RunOptions &run,
                                                              const JobControl &control) const
{
    checkPlan(plan, *this);
    if (auto block = PackedTranslation::tryMake(*this, ids, base, plan.kind, run, control))
        return block;
    return TranslationBlock::make(*this, std::move(ids), base, plan, run, control);
}

std::int64_t TranslationTask::bytesPerExample(const RunOptions &run) const
{
    std::int64_t tokens = 0; // of the sources; translations are about as long
    for (std::int64_t id = 0; id < size(); ++id)
        tokens += std::ssize(source(id));
    // Per layer of the encoder: hidden states and contexts; of the decoder: keys and values of the source, and of every
    // prefix two hidden states, two contexts, keys and values. Beams seldom share a prefix.
    const TransformerSpec &spec = m_model->spec();
    return tokens * (2 * spec.encoder.layers() + (2 + 6 * settings(run.decoding).beams) * spec.decoder->layers())
           * spec.width * 4 / std::max<std::int64_t>(1, size());
}

std::map<HeadKind, GateShape> TranslationTask::gateShapes(const std::vector<std::int64_t> &ids) const
{
    GateShape source;
    GateShape target;
    source.rows = target.rows = std::ssize(ids);
    for (std::int64_t id : ids) {
        source.lengths.push_back(std::ssize(m_examples.source(id)));
        target.lengths.push_back(std::ssize(m_examples.target(id)));
    }
    source.positions = std::ranges::max(source.lengths);
    target.positions = std::ranges::max(target.lengths);
    return {{HeadKind::Encoder, source}, {HeadKind::Cross, target}, {HeadKind::Decoder, target}};
}

LossBatch TranslationTask::loss(const std::vector<std::int64_t> &ids, const HeadGates &gates) const
{
    const ForcedOutput output = forcedOutput(*m_model, m_examples, ids, gates);
    const auto logProbabilities = torch::log_softmax(m_model->logits(output.hidden), -1)
                                      .gather(1, output.wanted.unsqueeze(1))
                                      .squeeze(1);
    LossBatch batch;
    batch.targetTokens = output.wanted.size(0);
    batch.loss = torch::zeros({std::ssize(ids)}, logProbabilities.options())
                     .index_add(0, output.rows, -logProbabilities);
    return batch;
}

std::pair<TokenBatch, TokenBatch> TranslationTask::record(const std::vector<std::int64_t> &ids,
                                                          const std::vector<std::vector<std::int64_t>> &targets,
                                                          const HeadGates &gates, Recorder &recorder) const
{
    const TokenBatch source = sourceBatch(ids);
    TokenBatch target = headscope::decoderInputs(targets, *m_model);
    const Memory memory = m_model->encode(source, gates, &recorder);
    DecoderState state = m_model->beginDecoder(target);
    m_model->advanceDecoder(state, m_model->spec().decoder->layers(), m_model->crossKeyValues(memory), memory.keyBias,
                            gates, nullptr, &recorder);
    return {source, std::move(target)};
}

ContextBatch TranslationTask::contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const
{
    requireReferences(); // the decoder is made to say them
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.contexts = true;
    recorder.inputs = inputs;
    std::vector<std::vector<std::int64_t>> targets;
    for (const std::int64_t id : ids)
        targets.push_back(m_examples.target(id));
    const auto [source, target] = record(ids, targets, gates, recorder);
    return {std::move(recorder.tensors),
            {{HeadKind::Encoder, source.lengths},
             {HeadKind::Decoder, target.lengths},
             {HeadKind::Cross, target.lengths}}};
}

AttentionBatch TranslationTask::attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const
{
    if (!request.targets)
        requireReferences(); // the decoder is made to say them
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.probabilities = true;
    recorder.values = request.valueNorms;
    AttentionBatch batch;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        batch.sources.push_back(m_examples.source(ids[i]));
        batch.targets.push_back(request.targets ? (*request.targets)[i] : m_examples.target(ids[i]));
    }
    const auto gates = HeadGates::fromMask(request.mask, layout(), m_model->options());
    const auto [source, target] = record(ids, batch.targets, gates, recorder);
    const GenerationSettings &generation = m_model->spec().generation;
    const auto realTokens = [&](const TokenBatch &batch) {
        auto real = validPositions(batch.lengths, batch.ids.size(1), m_model->device());
        std::vector<std::int64_t> special = generation.endIds;
        special.push_back(generation.startId);
        special.push_back(generation.padId);
        for (std::int64_t id : special)
            real = real.logical_and(batch.ids != id);
        return real;
    };
    const auto realSource = realTokens(source);
    const auto realTarget = realTokens(target);
    for (const HeadLayout::Block &block : layout().blocks()) {
        AttentionBatch::Kind &kind = batch.kinds[block.kind] = recordedAttention(recorder, block);
        kind.realQueries = block.kind == HeadKind::Encoder ? realSource : realTarget;
        kind.realKeys = block.kind == HeadKind::Decoder ? realTarget : realSource;
    }
    return batch;
}

} // namespace headscope
