#include "core/task/packedgeneration.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {

namespace {

/// Of a step of the decoder, in parts of a base run of which nothing is kept. Each step reads all weights once for all
/// of them, and the keys and values of each.
constexpr std::int64_t kFewestRowsOfStep = 5; // else a core is idle

/// Examples on which exact products are compared with the plain path: every one gives as many differences as it has
/// tokens times the vocabulary, and the margin is twice the largest.
constexpr std::int64_t kFirstSample = 4;
constexpr std::int64_t kLaterSample = 1;

} // namespace

PackedGeneration::PackedGeneration(const Task &task, const GenerationRunner &runner, const GenerationSettings &settings,
                                   std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                                   const std::vector<Products> &quick, const RunOptions &run)
    : PackedBlock(task, std::move(ids), base, plan, quick, run), m_runner(runner), m_settings(settings),
      m_processor(m_settings)
{
}

void PackedGeneration::setExamples(BasePart &part, std::span<const std::int64_t> ids) const
{
    part.ids.assign(ids.begin(), ids.end());
    for (const std::int64_t id : ids)
        part.sources.add(std::ssize(m_task.examples().source(id)));
    part.encoder = StackStates(spec().encoder->subLayers.size());
    part.decoder = StackStates(spec().decoder->subLayers.size());
}

std::vector<std::unique_ptr<PackedGeneration::BasePart>> PackedGeneration::baseParts() const
{
    std::vector<std::unique_ptr<BasePart>> parts;
    const auto lengthOf = [&](std::int64_t id) { return m_task.examples().length(id); };
    if (!m_plan.onlyBase) {
        for (const auto ids : inParts(m_ids, examplesOfPart(), lengthOf))
            setExamples(*parts.emplace_back(makePart()), ids);
        return parts;
    }
    // A lane for each worker, with the same lengths in all. No output depends on it: a row is the same whatever rows it
    // is computed with (tst_packedlinear).
    const Execution &execution = m_task.execution();
    const std::int64_t most = std::min<std::int64_t>(execution.workSizes().parts, execution.workers());
    const auto count = static_cast<std::size_t>(
        std::clamp(std::ssize(m_ids) * rowsPerStep() / kFewestRowsOfStep, std::int64_t(1), most));
    std::vector<std::vector<std::int64_t>> lanes(count);
    for (std::size_t i = 0; i < m_ids.size(); ++i)
        lanes[i % count].push_back(m_ids[i]);
    std::vector<std::vector<std::span<const std::int64_t>>> cut;
    for (const auto &lane : lanes)
        cut.push_back(partsOfLane(lane));
    const std::size_t longest = std::ranges::max(cut, {}, [](const auto &lane) { return lane.size(); }).size();
    for (std::size_t i = 0; i < longest; ++i) {
        for (const auto &lane : cut) {
            if (i < lane.size())
                setExamples(*parts.emplace_back(makePart()), lane[i]);
        }
    }
    return parts;
}

void PackedGeneration::runBase(const JobControl &control)
{
    (void)exactly(); // outside of loops, so that workers share the making of it
    const auto parts = baseParts();
    const auto checked = static_cast<std::size_t>(tiers().examplesToCheck(kFirstSample, kLaterSample));
    const std::size_t checkedParts = std::clamp<std::size_t>(parts.size(), 1, checked);
    m_sample = (checked + checkedParts - 1) / checkedParts;
    const auto forParts = [&](std::size_t count, const auto &work) {
        m_task.execution().runPieces(static_cast<std::int64_t>(count),
                                     [&](std::int64_t p) { work(*parts[static_cast<std::size_t>(p)]); });
    };
    forParts(parts.size(), [&](BasePart &part) { search(part, control); });
    forParts(checkedParts, [&](BasePart &part) {
        tiers().recordExactError(errorOfExact(part, control), static_cast<std::int64_t>(sampleOf(part).count));
    });
    recomputeDoubtful(parts, control);
    if (!m_plan.onlyBase) {
        forParts(parts.size(), [&](BasePart &part) { keepPart(part, control); });
        keepStates(parts);
        tiers().fixMargins();
    }
    for (const auto &part : parts) {
        takePart(*part);
        for (const double margin : part->margins)
            tiers().recordMargin(margin);
        for (std::size_t i = 0; i < part->ids.size(); ++i)
            m_baseline.push_back(makeOutput(part->ids[i], std::move(part->generated[i])));
    }
}

void PackedGeneration::recomputeDoubtful(std::span<const std::unique_ptr<BasePart>> parts,
                                         const JobControl &control) const
{
    const Precision precision = exactly();
    std::vector<std::int64_t> doubtful;
    std::vector<Generated *> outputs;
    for (const auto &part : parts) {
        for (std::size_t i = 0; i < part->ids.size(); ++i) {
            if (!precision.isDoubtful(part->margins[i]))
                continue;
            doubtful.push_back(part->ids[i]);
            outputs.push_back(&part->generated[i]);
        }
    }
    const auto plainly = plainBase(doubtful, control);
    for (std::size_t i = 0; i < plainly.size(); ++i)
        *outputs[i] = {plainly[i].tokens, plainly[i].score};
}

torch::Tensor PackedGeneration::plainLogits(const std::vector<std::int64_t> &ids,
                                            std::span<const Generated> outputs) const
{
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const Memory memory = model.encode(m_task.inputs(ids), gates);
    std::vector<std::vector<std::int64_t>> tokens;
    for (const Generated &output : outputs)
        tokens.push_back(output.tokens);
    const auto hidden = model.decode(decoderInputs(tokens, model), &memory, gates);
    std::vector<torch::Tensor> rows;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        rows.push_back(hidden[static_cast<std::int64_t>(i)].narrow(0, 0, std::ssize(tokens[i])));
    return model.logits(torch::cat(rows));
}

std::vector<Rows> PackedGeneration::memoryKeys(const RowModel &model, const Rows &memory,
                                               const Sequences &sources) const
{
    const StackSpec &stack = *spec().decoder;
    const std::vector<std::int64_t> positions = sources.positions();
    std::vector<Rows> keys(stack.subLayers.size());
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (attention && attention->readsMemory())
            keys[static_cast<std::size_t>(place)] = model.keysAndValues(Side::Decoder, place, memory, positions);
    }
    return keys;
}

std::vector<Rows> PackedGeneration::encodeBase(const RowModel &model, const BasePart &part, StackStates *keep,
                                               const JobControl &control) const
{
    std::vector<std::int64_t> tokens;
    for (const std::int64_t id : part.ids)
        tokens.insert(tokens.end(), m_task.examples().source(id).begin(), m_task.examples().source(id).end());
    RowExecutor executor(model, Side::Encoder, part.sources, control);
    executor.gates = [&](HeadKind kind, int layer) { return baseGates(part.sources.count(), kind, layer); };
    if (keep)
        record(executor, *keep);
    const Rows memory
        = executor.runToEnd({0, model.embed(Side::Encoder, tokens, model.positionsOf(tokens, part.sources)), {}});
    return memoryKeys(model, memory, part.sources);
}

void PackedGeneration::keepStates(std::span<const std::unique_ptr<BasePart>> parts)
{
    std::vector<const StackStates *> encoders, decoders;
    for (const auto &part : parts) {
        encoders.push_back(&part->encoder);
        decoders.push_back(&part->decoder);
        for (std::int64_t s = 0; s < part->sources.count(); ++s)
            m_sources.add(part->sources.length(s));
    }
    m_encoder = keep(encoders);
    m_decoder = keep(decoders);
}

std::vector<Rows> PackedGeneration::encodeVariants(const RowModel &model, std::span<const Pair> pairs,
                                                   const Sequences &sources, const StartPlace &start,
                                                   const JobControl &control) const
{
    RowExecutor executor(model, Side::Encoder, sources, control);
    executor.gates = [&](HeadKind kind, int layer) { return gatesOf(pairs, kind, layer); };
    const Rows memory = executor.runToEnd(stateAt(m_encoder, start.place, m_sources.rowsOf(placesOf(pairs))));
    return memoryKeys(model, memory, sources);
}

} // namespace headscope
