#include "core/task/task.h"

#include "core/metrics/bleu.h"
#include "core/task/batching.h"
#include "core/task/partitionedblock.h"
#include "core/task/plainblock.h"
#include "core/task/replacements.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace headscope {

std::vector<HeadRef> changedHeads(const Variant &variant, const HeadMask &base)
{
    std::vector<HeadRef> heads;
    for (const HeadRef &head : variant.mask) {
        if (!base.isMasked(head))
            heads.push_back(head);
    }
    for (const auto &[head, scale] : variant.scales) {
        if (scale != 1 && !base.isMasked(head) && !variant.mask.isMasked(head))
            heads.push_back(head);
    }
    return heads;
}

HeadMask closedHeads(const Variant &variant, const HeadMask &base)
{
    HeadMask closed = base;
    if (variant.replacement == Replacement::Window)
        return closed;
    for (const HeadRef &head : variant.mask)
        closed.set(head, true);
    return closed;
}

std::vector<KeyWindow> windowsOf(const Variant &variant, const HeadLayout::Block &block, int layer)
{
    if (variant.replacement != Replacement::Window || block.kind == HeadKind::Cross)
        return {};
    std::vector<KeyWindow> windows;
    bool any = false;
    for (const int head : block.layers[static_cast<std::size_t>(layer)]) {
        const bool isWindowed = variant.mask.isMasked({block.kind, layer, head});
        windows.push_back(isWindowed ? variant.window : KeyWindow());
        any = any || isWindowed;
    }
    return any ? windows : std::vector<KeyWindow>();
}

/// Outputs of the examples `ids`, each of which is there once, in their order.
static std::vector<ExampleOutput> inOrderOf(const std::vector<std::int64_t> &ids, std::vector<ExampleOutput> outputs)
{
    std::map<std::int64_t, std::size_t> placeOf;
    for (std::size_t i = 0; i < ids.size(); ++i)
        placeOf[ids[i]] = i;
    std::vector<ExampleOutput> ordered(ids.size());
    for (ExampleOutput &output : outputs)
        ordered[placeOf.at(output.index)] = std::move(output);
    return ordered;
}

Task::Task(std::string name, std::shared_ptr<const Transformer> model, TaskParts parts, Execution execution,
           std::vector<ModelCopy> copies)
    : m_name(std::move(name)), m_model(std::move(model)),
      m_examples(std::make_shared<const Examples>(std::move(parts.examples))), m_runner(std::move(parts.runner)),
      m_measure(std::move(parts.measure)), m_execution(std::move(execution)), m_rowModels(m_model, m_execution)
{
    for (ModelCopy &copy : copies)
        m_elsewhere.push_back(std::unique_ptr<const Task>(new Task(*this, std::move(copy))));
}

Task::Task(const Task &first, ModelCopy copy)
    : m_name(first.m_name), m_model(std::move(copy.model)), m_examples(first.m_examples), m_runner(first.m_runner),
      m_measure(first.m_measure), m_execution(std::move(copy.execution)), m_rowModels(m_model, m_execution)
{
}

DataFacts Task::facts() const
{
    return {m_examples->pairs, m_measure->labels(), m_examples->warnings};
}

std::string Task::signature(const Metric &metric, const RunOptions &run) const
{
    const std::int64_t longest = limit(run).tokens;
    const char *name = m_examples->prompts.empty() ? "|max-length:" : "|max-new-tokens:";
    return metric.signature() + (longest > 0 ? name + std::to_string(longest) : std::string());
}

std::int64_t Task::mostDecoderPositions(const RunOptions &run) const
{
    std::size_t longest = 0;
    for (const auto &prompt : m_examples->prompts)
        longest = std::max(longest, prompt.size());
    return limit(run).tokens + static_cast<std::int64_t>(longest);
}

std::string Task::bleuTokenizer() const
{
    for (const Metric *metric : m_measure->metrics()) {
        if (const auto *bleu = dynamic_cast<const BleuMetric *>(metric))
            return bleu->tokenizerName();
    }
    return "13a";
}

void Task::requireReferences() const
{
    if (!hasReferences())
        throw Failure(badInput(m_measure->missingReferences()));
}

/// The decoder is made to say them.
void Task::requireTargets() const
{
    if (hasDecoder() && !m_examples->hasTargets)
        requireReferences();
}

std::size_t Task::primaryMetric(const RunOptions &run) const
{
    std::string known;
    for (std::size_t i = 0; i < metrics().size(); ++i) {
        const Metric &metric = *metrics()[i];
        if (run.metric.empty() || metric.name() == run.metric) {
            if (supportsPairedTests(metric))
                return i;
            throw Failure(usageError("Heads cannot be judged by " + run.metric + ". Choose another metric."));
        }
        if (supportsPairedTests(metric))
            known += (known.empty() ? "" : ", ") + metric.name();
    }
    throw Failure(usageError("Unknown metric " + run.metric + ". This model and data set have: " + known + "."));
}

std::vector<std::vector<std::int64_t>> Task::batches(std::vector<std::int64_t> ids, std::int64_t batchTokens) const
{
    return batchesByLength(std::move(ids), batchTokens, [&](std::int64_t id) { return m_examples->length(id); });
}

std::vector<ExampleOutput> Task::outputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                         const RunOptions &run, bool withScores, const JobControl &control) const
{
    const std::vector<std::vector<std::int64_t>> parts = partition(ids, m_elsewhere.size() + 1);
    std::vector<std::vector<ExampleOutput>> outputs(parts.size());
    runConcurrently(parts.size(),
                    [&](std::size_t d) { outputs[d] = on(d).outputsHere(parts[d], mask, run, withScores, control); });
    return joinedOutputs(std::move(outputs));
}

std::vector<ExampleOutput> Task::outputsHere(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                             const RunOptions &run, bool withScores, const JobControl &control) const
{
    // Packing the weights again, and holding them twice, pays for a search, but not for a single pass.
    const bool padded
        = run.products == ProductChoice::Library || (m_rowModels.usesLibrary(run) && !m_execution.byLibrary());
    if (run.plain || !m_runner->generates() || padded || ids.empty())
        return plainOutputs(ids, mask, run, withScores, control);
    ReplacementPlan plan;
    plan.onlyBase = true;
    plan.scores = withScores;
    // Similar lengths together, the longest first, so that parallel parts end at about the same time.
    std::vector<std::int64_t> sorted = ids;
    std::ranges::stable_sort(sorted, std::ranges::greater(), [&](std::int64_t id) { return m_examples->length(id); });
    const auto block = m_runner->prepare(*this, std::move(sorted), mask, plan, run, control);
    return block ? inOrderOf(ids, block->baseline()) : plainOutputs(ids, mask, run, withScores, control);
}

std::vector<ExampleOutput> Task::plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                              const RunOptions &run, bool withScores, const JobControl &control,
                                              const HeadScales &scales) const
{
    const HeadGates gates = HeadGates::fromMask(mask, layout(), tensorOptions(), scales);
    return plainOutputs(
        ids, [&](const auto &) { return gates; }, run, withScores, control);
}

std::vector<ExampleOutput> Task::plainOutputs(const std::vector<std::int64_t> &ids, const GatesOfBatch &gatesOf,
                                              const RunOptions &run, bool withScores, const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    const auto batches = this->batches(ids, run);
    std::vector<std::vector<ExampleOutput>> outputs(batches.size());
    m_execution.runPieces(std::ssize(batches), [&](std::int64_t b) {
        control.checkpoint();
        const auto &batch = batches[static_cast<std::size_t>(b)];
        outputs[static_cast<std::size_t>(b)]
            = m_runner->runBatch(*this, batch, gatesOf(batch), run, withScores, control);
    });
    std::vector<ExampleOutput> all;
    for (auto &batch : outputs)
        std::ranges::move(batch, std::back_inserter(all));
    return inOrderOf(ids, std::move(all));
}

bool Task::isChanged(const ExampleOutput &a, std::span<const double> ofA, const ExampleOutput &b,
                     std::span<const double> ofB) const
{
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return !std::ranges::equal(ofA, ofB, same) || !m_measure->samePrediction(a, b);
}

std::shared_ptr<const PreparedBlock> Task::prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                   const ReplacementPlan &plan, const RunOptions &run,
                                                   const JobControl &control) const
{
    checkPlan(plan, *this);
    if (m_elsewhere.empty() || takesContexts(plan.kind)) // means and donors lie on the first device
        return prepareHere(std::move(ids), base, plan, run, control);
    const std::vector<std::vector<std::int64_t>> parts = partition(ids, m_elsewhere.size() + 1);
    std::vector<std::shared_ptr<const PreparedBlock>> blocks(parts.size());
    runConcurrently(parts.size(),
                    [&](std::size_t d) { blocks[d] = on(d).prepareHere(parts[d], base, plan, run, control); });
    return blocks.size() == 1 ? blocks.front() : std::make_shared<const PartitionedBlock>(std::move(blocks));
}

std::shared_ptr<const PreparedBlock> Task::prepareHere(std::vector<std::int64_t> ids, const HeadMask &base,
                                                       const ReplacementPlan &plan, const RunOptions &run,
                                                       const JobControl &control) const
{
    if (!run.plain) {
        if (auto block = m_runner->prepare(*this, ids, base, plan, run, control))
            return block;
    }
    return PlainBlock::make(*this, std::move(ids), base, plan, run, control);
}

std::int64_t Task::bytesPerExample(const RunOptions &run) const
{
    // A block keeps of a row hidden states and contexts of every attention, keys and values that are attended to.
    const TransformerSpec &spec = m_model->spec();
    std::int64_t ofSource = 0;
    std::int64_t ofTarget = 0;
    for (const Side side : kBothSides) {
        if (!spec.stack(side))
            continue;
        for (const SubLayer &sub : spec.stack(side)->subLayers) {
            const AttentionSpec *attention = sub.attention();
            if (!attention)
                continue;
            const std::int64_t states = spec.width + attention->width();
            (side == Side::Encoder ? ofSource : ofTarget) += states;
            if (attention->readsMemory())
                ofSource += attention->keyValueWidth();
            else if (side == Side::Decoder)
                ofTarget += attention->keyValueWidth();
        }
    }
    std::int64_t tokens = 0; // of the sources; translations are about as long
    for (std::int64_t id = 0; id < size(); ++id)
        tokens += m_examples->length(id);
    return tokens * (ofSource + ofTarget * m_runner->keptSequences(run)) * 4 * m_runner->sequencesPerExample(*this)
         / std::max<std::int64_t>(1, size());
}

std::map<HeadKind, GateShape> Task::gateShapes(const std::vector<std::int64_t> &ids) const
{
    std::map<HeadKind, GateShape> shapes;
    for (const HeadLayout::Block &block : layout().blocks()) {
        GateShape &shape = shapes[block.kind];
        shape.rows = std::ssize(ids);
        for (const std::int64_t id : ids)
            shape.lengths.push_back(
                std::ssize(block.kind == HeadKind::Encoder ? m_examples->source(id) : m_examples->target(id)));
        shape.positions = shape.lengths.empty() ? 0 : std::ranges::max(shape.lengths);
    }
    return shapes;
}

TokenBatch Task::decoderInputs(const std::vector<std::int64_t> &ids) const
{
    if (!hasDecoder())
        throw Failure(usageError("This model has no decoder."));
    requireTargets();
    return m_examples->prefixBatch(ids, *m_model);
}

std::vector<std::int64_t> Task::decoderReads(std::int64_t id, const std::vector<std::int64_t> &said) const
{
    const TransformerSpec &spec = m_model->spec();
    if (m_examples->prompts.empty())
        return decoderInput(said, spec.generation);
    std::vector<std::int64_t> read = m_examples->prompts[static_cast<std::size_t>(id)];
    if (!said.empty())
        read.insert(read.end(), said.begin(), said.end() - 1);
    if (std::ssize(read) > spec.maxPositions)
        read.erase(read.begin(), read.end() - spec.maxPositions);
    return read;
}

std::map<HeadKind, std::vector<std::int64_t>> Task::record(const std::vector<std::int64_t> &ids,
                                                           const TokenBatch &prefixes, const HeadGates &gates,
                                                           Recorder &recorder) const
{
    const TransformerSpec &spec = m_model->spec();
    std::map<HeadKind, std::vector<std::int64_t>> lengths;
    Memory memory;
    if (spec.encoder) {
        const TokenBatch source = inputs(ids);
        memory = m_model->encode(source, gates, &recorder);
        lengths[HeadKind::Encoder] = source.lengths;
    }
    if (spec.decoder) {
        (void)m_model->decode(prefixes, spec.encoder ? &memory : nullptr, gates, &recorder);
        lengths[HeadKind::Decoder] = lengths[HeadKind::Cross] = prefixes.lengths;
    }
    return lengths;
}

ContextBatch Task::contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates, bool inputs) const
{
    requireTargets();
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.contexts = true;
    recorder.inputs = inputs;
    auto lengths = record(ids, hasDecoder() ? decoderInputs(ids) : TokenBatch(), gates, recorder);
    return {std::move(recorder.tensors), std::move(lengths)};
}

/// [B, T]: tokens that are neither padding nor special, as far as ids tell.
torch::Tensor Task::realTokens(const TokenBatch &batch) const
{
    const GenerationSettings &generation = m_model->spec().generation;
    auto real = validPositions(batch.lengths, batch.ids.size(1), m_model->device());
    std::vector<std::int64_t> special = generation.endIds;
    special.push_back(generation.startId);
    special.push_back(generation.padId);
    for (std::int64_t id : special)
        real = real.logical_and(batch.ids != id);
    return real;
}

torch::Tensor Task::realSources(const std::vector<std::int64_t> &ids) const
{
    const TokenBatch batch = inputs(ids);
    if (m_examples->realSources.empty())
        return realTokens(batch);
    auto real = torch::zeros(batch.ids.sizes(), torch::kBool);
    auto *out = real.data_ptr<bool>();
    for (const std::int64_t id : ids) {
        std::ranges::transform(m_examples->realSources[static_cast<std::size_t>(id)], out,
                               [](std::uint8_t isReal) { return isReal != 0; });
        out += batch.ids.size(1);
    }
    return real.to(m_model->device());
}

AttentionBatch::Kind Task::recordedAttention(const Recorder &recorder, const HeadLayout::Block &block) const
{
    AttentionBatch::Kind kind;
    for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
        const auto found = recorder.tensors.find(Recorder::place(block.kind, layer, "probabilities"));
        const bool has = found != recorder.tensors.end();
        kind.probabilities.push_back(has ? found->second : torch::Tensor());
        if (recorder.values)
            kind.valueNorms.push_back(
                has ? m_model->valueNorms(block.kind, layer, recorder.at(block.kind, layer, "value"))
                    : torch::Tensor());
    }
    return kind;
}

AttentionBatch Task::attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const
{
    if (!request.targets)
        requireTargets();
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.probabilities = true;
    recorder.values = request.valueNorms;
    AttentionBatch batch;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (m_model->spec().encoder)
            batch.sources.push_back(m_examples->source(ids[i]));
        if (!hasDecoder())
            continue;
        if (!request.targets) {
            batch.targets.push_back(m_examples->target(ids[i]));
            batch.prefixes.push_back(m_examples->prefix(ids[i]));
            continue;
        }
        const std::vector<std::int64_t> &said = (*request.targets)[i];
        batch.prefixes.push_back(decoderReads(ids[i], said));
        const std::vector<std::int64_t> &read = batch.prefixes.back();
        batch.targets.emplace_back(said.empty() ? read.end() : read.begin() + 1, read.end());
        if (!said.empty())
            batch.targets.back().push_back(said.back());
    }
    const TokenBatch prefixes = hasDecoder()
                                  ? TokenBatch::pad(batch.prefixes, m_model->spec().generation.padId, m_model->device())
                                  : TokenBatch();
    (void)record(ids, prefixes, HeadGates::fromMask(request.mask, layout(), tensorOptions()), recorder);
    const torch::Tensor realSource = m_model->spec().encoder ? realSources(ids) : torch::Tensor();
    const torch::Tensor realTarget = hasDecoder() ? realTokens(prefixes) : torch::Tensor();
    for (const HeadLayout::Block &block : layout().blocks()) {
        AttentionBatch::Kind &kind = batch.kinds[block.kind] = recordedAttention(recorder, block);
        kind.realQueries = block.kind == HeadKind::Encoder ? realSource : realTarget;
        kind.realKeys = block.kind == HeadKind::Decoder ? realTarget : realSource;
    }
    return batch;
}

void Task::lossAttention(const std::vector<std::int64_t> &ids, const HeadMask &mask, std::int64_t mostTokens,
                         const VisitLossAttention &visit) const
{
    Recorder wanted;
    wanted.probabilities = wanted.contexts = wanted.values = wanted.differentiable = true;
    const HeadGates gates = HeadGates::fromMask(mask, layout(), tensorOptions());
    m_runner->lossPasses(*this, ids, gates, wanted, mostTokens, [&](const LossPass &pass) {
        LossAttention found{pass.loss, pass.targetTokens, pass.owners, {}, {}};
        AttentionBatch &batch = found.attention;
        for (std::size_t row = 0; row < pass.owners.size(); ++row) {
            if (m_model->spec().encoder)
                batch.sources.push_back(pass.read.empty() ? m_examples->source(pass.owners[row]) : pass.read[row]);
            if (hasDecoder())
                batch.prefixes.push_back(pass.read.empty() ? m_examples->prefix(pass.owners[row]) : pass.read[row]);
        }
        const torch::Tensor realSource = m_model->spec().encoder ? realSources(pass.owners) : torch::Tensor();
        const torch::Tensor realTarget = hasDecoder() ? realTokens(decoderInputs(pass.owners)) : torch::Tensor();
        for (const HeadLayout::Block &block : layout().blocks()) {
            AttentionBatch::Kind &kind = batch.kinds[block.kind];
            LossAttention::Kind &more = found.kinds[block.kind];
            kind.realQueries = block.kind == HeadKind::Encoder ? realSource : realTarget;
            kind.realKeys = block.kind == HeadKind::Decoder ? realTarget : realSource;
            for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
                const auto recorded = [&](const char *what) {
                    const auto at = pass.recorder.tensors.find(Recorder::place(block.kind, layer, what));
                    return at == pass.recorder.tensors.end() ? torch::Tensor() : at->second;
                };
                kind.probabilities.push_back(recorded("probabilities"));
                more.contexts.push_back(recorded("context"));
                more.values.push_back(recorded("value"));
            }
        }
        visit(found);
    });
}

const Contexts &Task::meanContexts(const JobControl &control) const
{
    const std::scoped_lock lock(m_meanMutex);
    if (!m_meanContexts.empty())
        return m_meanContexts;
    ContextMeans means(layout());
    for (const auto &ids : batches(allIds(size()), 4096)) {
        control.checkpoint();
        means.add(contexts(ids, {}, false));
    }
    m_meanContexts = means.means(tensorOptions());
    return m_meanContexts;
}

} // namespace headscope
