#include "core/task/packedgeneration.h"

#include <algorithm>

namespace headscope {

PackedGeneration::PackedGeneration(const Task &task, const GenerationRunner &runner,
                                   const GenerationSettings &settings, std::vector<std::int64_t> ids,
                                   const HeadMask &base, const ReplacementPlan &plan,
                                   const std::vector<Products> &quick, const RunOptions &run)
    : PackedBlock(task, std::move(ids), base, plan, quick, run), m_runner(runner), m_settings(settings),
      m_processor(m_settings)
{
}

PackedGeneration::BasePart PackedGeneration::partOf(std::span<const std::int64_t> ids) const
{
    BasePart part;
    part.ids.assign(ids.begin(), ids.end());
    for (const std::int64_t id : ids)
        part.sources.add(std::ssize(m_task.examples().source(id)));
    part.encoder = StackStates(spec().encoder->subLayers.size());
    part.decoder = StackStates(spec().decoder->subLayers.size());
    return part;
}

std::vector<PackedGeneration::BasePart> PackedGeneration::baseParts() const
{
    std::vector<BasePart> parts;
    for (const auto ids : inParts(m_ids))
        parts.push_back(partOf(ids));
    return parts;
}

/// A few sentences of a part, enough to tell the error of exact products.
PackedGeneration::BasePart PackedGeneration::firstOf(const BasePart &part) const
{
    return partOf(std::span(part.ids).first(std::min(part.ids.size(), static_cast<std::size_t>(kSample))));
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
        executor.keepIn(keep->hidden, keep->context);
    const Rows memory
        = executor.runToEnd({0, model.embed(Side::Encoder, tokens, model.positionsOf(tokens, part.sources)), {}});
    return memoryKeys(model, memory, part.sources);
}

void PackedGeneration::keepStates(std::span<const BasePart *const> parts)
{
    std::vector<const StackStates *> encoders, decoders;
    for (const BasePart *part : parts) {
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
    const auto at = static_cast<std::size_t>(start.place);
    const std::vector<std::int64_t> rows = m_sources.rowsOf(placesOf(pairs));
    RowExecutor executor(model, Side::Encoder, sources, control);
    executor.gates = [&](HeadKind kind, int layer) { return gatesOf(pairs, kind, layer); };
    const Rows memory = executor.runToEnd(
        {start.place, gatherRows(m_encoder.hidden[at], rows), gatherRows(m_encoder.context[at], rows)});
    return memoryKeys(model, memory, sources);
}

ScoreEdits PackedGeneration::editsAfter(std::span<const std::span<const std::int64_t>> histories) const
{
    ScoreEdits edits(m_settings, m_processor);
    for (const auto history : histories)
        edits.changes.push_back(m_processor.after(history));
    return edits;
}

} // namespace headscope
