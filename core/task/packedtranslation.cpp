#include "core/task/packedtranslation.h"

#include "core/task/packedbeamblock.h"
#include "core/task/packedgreedyblock.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>

namespace headscope {

std::shared_ptr<const PackedBlock> PackedTranslation::tryMake(const TranslationTask &task,
                                                              std::vector<std::int64_t> ids, const HeadMask &base,
                                                              Replacement replacement, const RunOptions &run,
                                                              const JobControl &control)
{
    const GenerationSettings settings = task.settings(run.decoding);
    if (!canRunPacked(task.packed(), replacement, run) || !ScoreProcessor(settings).dependsOnLengthOnly())
        return nullptr;
    if (settings.beams > 1)
        return PackedBeamBlock::make(task, std::move(ids), base, run, control);
    return PackedGreedyBlock::make(task, std::move(ids), base, run, control);
}

PackedTranslation::PackedTranslation(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                     const std::vector<Products> &quick, const RunOptions &run)
    : PackedBlock(task, task.packed(), std::move(ids), base, quick, run), m_task(task),
      m_settings(task.settings(run.decoding))
{
}

PackedTranslation::BasePart PackedTranslation::partOf(std::span<const std::int64_t> ids) const
{
    BasePart part;
    part.ids.assign(ids.begin(), ids.end());
    for (const std::int64_t id : ids)
        part.sources.add(std::ssize(m_task.source(id)));
    return part;
}

std::vector<PackedTranslation::BasePart> PackedTranslation::baseParts() const
{
    std::vector<BasePart> parts;
    for (const auto ids : inParts(m_ids))
        parts.push_back(partOf(ids));
    return parts;
}

/// A few sentences of a part, enough to tell the error of exact products.
PackedTranslation::BasePart PackedTranslation::firstOf(const BasePart &part) const
{
    return partOf(std::span(part.ids).first(std::min(part.ids.size(), static_cast<std::size_t>(kSample))));
}

Rows PackedTranslation::encodeBase(const PackedModel &model, const BasePart &part, States *keep,
                                   const JobControl &control) const
{
    Rows hidden = withoutPadding(m_task.model().beginEncoder(m_task.sourceBatch(part.ids)).hidden, part.sources);
    for (int layer = 0; layer < model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        const Rows context = model.encoderContext(layer, hidden, part.sources,
                                                  baseFactors(part.sources.count(), HeadKind::Encoder, layer));
        if (keep) {
            keep->encoderHidden.push_back(hidden);
            keep->encoderContext.push_back(context);
        }
        hidden = model.closeEncoderLayer(layer, hidden, context);
    }
    return model.finish(HeadKind::Encoder, std::move(hidden));
}

std::vector<Rows> PackedTranslation::crossKeyValues(const PackedModel &model, const Rows &memory)
{
    std::vector<Rows> layers;
    for (int layer = 0; layer < model.spec().decoder->layers(); ++layer)
        layers.push_back(model.keysAndValues(model.crossAttention(layer), memory));
    return layers;
}

void PackedTranslation::keepStates(std::span<const BasePart *const> parts)
{
    for (const auto member : States::kAll) {
        std::vector<std::vector<Rows>> layers;
        for (const BasePart *part : parts)
            layers.push_back(part->states.*member);
        m_states.*member = keep(layers);
    }
    for (const BasePart *part : parts) {
        for (std::int64_t s = 0; s < part->sources.count(); ++s)
            m_sources.add(part->sources.length(s));
    }
}

std::vector<Rows> PackedTranslation::encodeVariants(const PackedModel &model, std::span<const Pair> pairs,
                                                    const Sequences &sources, int fromLayer,
                                                    const JobControl &control) const
{
    const auto first = static_cast<std::size_t>(fromLayer);
    const auto places = placesOf(pairs);
    Rows hidden = gather(m_states.encoderHidden[first], m_sources, places);
    Rows context = gather(m_states.encoderContext[first], m_sources, places);
    scaleContexts(context, model.encoderAttention(fromLayer), sources, factorsOf(pairs, HeadKind::Encoder, fromLayer));
    hidden = model.closeEncoderLayer(fromLayer, hidden, context);
    for (int layer = fromLayer + 1; layer < model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        hidden = model.closeEncoderLayer(
            layer, hidden,
            model.encoderContext(layer, hidden, sources, factorsOf(pairs, HeadKind::Encoder, layer)));
    }
    return crossKeyValues(model, model.finish(HeadKind::Encoder, std::move(hidden)));
}

void PackedTranslation::ban(std::span<const std::int64_t> always, std::span<const std::int64_t> historyLengths,
                            float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                            std::int64_t columns) const
{
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    for (std::int64_t r = 0; r < rows; ++r) {
        float *row = scores + r * columns;
        const auto ban = [&](std::span<const std::int64_t> tokens) {
            for (std::int64_t token : tokens) {
                if (token >= firstColumn && token < firstColumn + columns)
                    row[token - firstColumn] = kNever;
            }
        };
        ban(always);
        if (!historyLengths.empty() && historyLengths[static_cast<std::size_t>(firstRow + r)] < m_settings.minLength)
            ban(m_settings.endIds);
    }
}

std::optional<std::int64_t> PackedTranslation::forcedToken(std::int64_t historyLength) const
{
    if (m_settings.forcedLast && historyLength == m_settings.maxLength - 1)
        return m_settings.forcedLast;
    return historyLength == 1 ? m_settings.forcedFirst : std::nullopt;
}

std::vector<std::int64_t> PackedTranslation::badTokens() const
{
    std::vector<std::int64_t> tokens;
    for (const auto &word : m_settings.badWords)
        tokens.push_back(word.front());
    return tokens;
}

Rows asRows(const torch::Tensor &tensor)
{
    Rows rows(tensor.size(0), tensor.size(1));
    rows.tensor().copy_(tensor);
    return rows;
}

} // namespace headscope
