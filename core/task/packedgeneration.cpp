#include "core/task/packedgeneration.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {

namespace {

/// Rows of a step of the decoder, in parts of a base run of which nothing is kept. Each step reads all weights once for
/// all of them, and the keys and values of each.
constexpr std::int64_t kFewestRowsOfStep = 5; // else a core is idle

/// The use that outputs may make of earlier ones. Scores would show in their last digits which decisions were doubtful.
SeenError *seenBy(const Task &task, const GenerationSettings &settings, const ReplacementPlan &plan,
                  const RunOptions &run)
{
    const bool showsScores = plan.scores || settings.beams > 1;
    return plan.onlyBase && !showsScores ? &task.rowModels().seenError(run) : nullptr;
}

} // namespace

PackedGeneration::PackedGeneration(const Task &task, const GenerationRunner &runner, const GenerationSettings &settings,
                                   std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                                   const std::vector<Products> &quick, const RunOptions &run)
    : PackedBlock(task, std::move(ids), base, plan, quick, run, seenBy(task, settings, plan, run)), m_runner(runner),
      m_settings(settings), m_processor(m_settings)
{
}

void PackedGeneration::setExamples(BasePart &part, std::span<const std::int64_t> ids) const
{
    part.ids.assign(ids.begin(), ids.end());
    for (const std::int64_t id : ids)
        part.sources.add(spec().encoder ? std::ssize(m_task.examples().source(id)) : 0);
    part.encoder = StackStates(spec().encoder ? spec().encoder->subLayers.size() : 0);
    part.decoder = StackStates(spec().decoder->subLayers.size());
}

std::vector<std::int64_t> PackedGeneration::readFor(std::int64_t id, std::span<const std::int64_t> tokens) const
{
    std::vector<std::int64_t> read = givenTo(id);
    if (!tokens.empty())
        read.insert(read.end(), tokens.begin(), tokens.end() - 1);
    return read;
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

/// Chooses examples of middling length, where examples are in order of length. For outputs alone some of all are
/// enough, and one where earlier blocks looked at as many; which ones does not depend on how they are divided.
void PackedGeneration::chooseSample(std::span<const std::unique_ptr<BasePart>> parts)
{
    const auto choose = [&](std::span<const std::int64_t> ids, std::size_t most) {
        const std::size_t count = std::min(ids.size(), most);
        const auto middle = ids.subspan((ids.size() - count) / 2, count);
        m_sample.insert(middle.begin(), middle.end());
    };
    if (m_plan.onlyBase) {
        choose(m_ids, tiers().wereSeen(kSample) ? 1 : kSample);
        return;
    }
    for (const auto &part : parts.first(std::min(parts.size(), kSampledParts)))
        choose(part->ids, kSample);
}

PackedGeneration::Sample PackedGeneration::sampleOf(const BasePart &part) const
{
    const auto isSampled = [&](std::int64_t id) { return m_sample.contains(id); };
    const auto first = std::ranges::find_if(part.ids, isSampled);
    return {static_cast<std::size_t>(first - part.ids.begin()),
            static_cast<std::size_t>(std::ranges::count_if(part.ids, isSampled))};
}

void PackedGeneration::runBase(const JobControl &control)
{
    (void)exactly(); // outside of loops, so that workers share the making of it
    const auto parts = baseParts();
    chooseSample(parts);
    const auto forParts = [&](std::size_t count, const auto &work) {
        m_task.execution().runPieces(static_cast<std::int64_t>(count),
                                     [&](std::int64_t p) { work(*parts[static_cast<std::size_t>(p)]); });
    };
    forParts(parts.size(), [&](BasePart &part) { search(part, control); });
    forParts(parts.size(), [&](BasePart &part) {
        if (const std::size_t count = sampleOf(part).count; count > 0)
            tiers().recordExactError(errorOfExact(part, control), static_cast<std::int64_t>(count));
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
    // They are few: one at a time they are divided among the workers. A GPU takes them together.
    const std::int64_t most = m_task.model().device().is_cpu() ? 1 : std::max<std::int64_t>(1, std::ssize(doubtful));
    const auto pieces = inParts(doubtful, most, [](std::int64_t) { return 1; });
    m_task.execution().runPieces(std::ssize(pieces), [&](std::int64_t p) {
        const auto ids = pieces[static_cast<std::size_t>(p)];
        const auto plainly = plainBase({ids.begin(), ids.end()}, control);
        Generated *const *output = outputs.data() + (ids.data() - doubtful.data());
        for (const ExampleOutput &one : plainly)
            **output++ = {one.tokens, one.score};
    });
}

torch::Tensor PackedGeneration::plainLogits(const std::vector<std::int64_t> &ids,
                                            std::span<const Generated> outputs) const
{
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const Memory memory = spec().encoder ? model.encode(m_task.inputs(ids), gates) : Memory();
    std::vector<std::vector<std::int64_t>> read;
    for (std::size_t i = 0; i < ids.size(); ++i)
        read.push_back(readFor(ids[i], outputs[i].tokens));
    const auto hidden = model.decode(TokenBatch::pad(read, m_settings.padId, model.device()),
                                     spec().encoder ? &memory : nullptr, gates);
    std::vector<torch::Tensor> rows;
    for (std::size_t i = 0; i < read.size(); ++i) {
        const std::int64_t count = std::ssize(outputs[i].tokens);
        rows.push_back(hidden[static_cast<std::int64_t>(i)].narrow(0, std::ssize(read[i]) - count, count));
    }
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
    if (!spec().encoder)
        return std::vector<Rows>(spec().decoder->subLayers.size());
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
