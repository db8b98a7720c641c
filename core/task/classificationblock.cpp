#include "core/task/classificationblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {

torch::Tensor classifyState(const Transformer &model, const EncoderState &state)
{
    return model.classify(model.finishEncoder(state).hidden.select(1, 0));
}

ClassificationBlock::ClassificationBlock(const ClassificationTask &task, const HeadMask &base,
                                         const ReplacementPlan &plan, const RunOptions &run)
    : m_task(task), m_model(task.model()), m_base(base), m_plan(plan), m_run(run)
{
}

std::shared_ptr<const ClassificationBlock> ClassificationBlock::make(const ClassificationTask &task,
                                                                     std::vector<std::int64_t> ids,
                                                                     const HeadMask &base, const ReplacementPlan &plan,
                                                                     const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<ClassificationBlock> block(new ClassificationBlock(task, base, plan, run));
    if (plan.kind == Replacement::Mean)
        block->m_meanContexts = (plan.reference ? *plan.reference : task).meanContexts(control);
    for (std::size_t i = 0; i < ids.size(); ++i)
        block->m_placeOf[ids[i]] = i;
    block->m_baseline.resize(ids.size());
    for (auto &members : task.batches(std::move(ids), run.batchTokens)) {
        block->m_batches.emplace_back();
        block->m_batches.back().ids = std::move(members);
    }
    parallelFor(std::ssize(block->m_batches), [&](std::int64_t b) {
        block->runBase(block->m_batches[static_cast<std::size_t>(b)], control);
    });
    for (const Batch &batch : block->m_batches) {
        const auto add = [&](const torch::Tensor &tensor) {
            block->m_memory += tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
        };
        for (const EncoderState &state : batch.states)
            add(state.hidden);
        for (const Contexts &draw : batch.standIns) {
            for (const auto &[name, contexts] : draw)
                add(contexts);
        }
    }
    return block;
}

void ClassificationBlock::runBase(Batch &batch, const JobControl &control)
{
    const HeadGates gates = HeadGates::fromMask(m_base, m_model.layout(), m_model.options());
    for (std::int64_t draw = 0; m_plan.kind == Replacement::Resample && draw < m_plan.draws; ++draw) {
        control.checkpoint();
        batch.standIns.push_back(standInContexts(m_plan, m_task, batch.ids, draw, gates, m_run.seed));
    }
    EncoderState state = m_model.beginEncoder(m_task.batch(batch.ids));
    for (int layer = 0; layer < m_model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        batch.states.push_back(state);
        m_model.advanceEncoder(state, layer + 1, gates);
    }
    place(m_task.makeOutputs(batch.ids, classifyState(m_model, state)), m_baseline);
}

void ClassificationBlock::place(std::vector<ExampleOutput> made, std::vector<ExampleOutput> &outputs) const
{
    for (ExampleOutput &output : made)
        outputs[m_placeOf.at(output.index)] = std::move(output);
}

/// −1: none.
int ClassificationBlock::firstChangedLayer(const Variant &variant) const
{
    int first = -1;
    for (const HeadRef &head : changedHeads(variant, m_base)) {
        if (first < 0 || head.layer < first)
            first = head.layer;
    }
    return first;
}

HeadGates ClassificationBlock::gatesFor(const Variant &variant, const Batch &batch) const
{
    const Contexts *contexts = variant.replacement == Replacement::Mean ? &m_meanContexts
                               : variant.replacement == Replacement::Resample
                                   ? &batch.standIns.at(static_cast<std::size_t>(variant.draw))
                                   : nullptr;
    return headscope::gatesFor(variant, m_base, m_model.layout(), m_model.options(), contexts);
}

/// Only heads that are simply gone can be subtracted.
static bool isSubtractable(const Variant &variant)
{
    return variant.replacement == Replacement::Zero && variant.scales.empty();
}

std::vector<ExampleOutput> ClassificationBlock::outputs(const Variant &variant, const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    const int first = m_run.plain ? 0 : firstChangedLayer(variant);
    if (first < 0)
        return m_baseline;
    std::vector<ExampleOutput> outputs(m_baseline.size());
    if (!m_run.plain && isSubtractable(variant)) {
        outputsOfAll({&variant, 1}, [&](std::size_t, const auto &made) { outputs = made; }, control);
        return outputs;
    }
    parallelFor(std::ssize(m_batches), [&](std::int64_t b) {
        const Batch &batch = m_batches[static_cast<std::size_t>(b)];
        const HeadGates gates = gatesFor(variant, batch);
        EncoderState state = batch.states[static_cast<std::size_t>(first)];
        while (state.layer < m_model.spec().encoder.layers()) {
            control.checkpoint();
            m_model.advanceEncoder(state, state.layer + 1, gates);
        }
        place(m_task.makeOutputs(batch.ids, classifyState(m_model, state)), outputs);
    });
    return outputs;
}

ProductProof ClassificationBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                               const JobControl &control) const
{
    if (m_run.plain || !std::ranges::all_of(variants, isSubtractable))
        return PreparedBlock::outputsOfAll(variants, done, control); // one by one, through outputs()
    const torch::NoGradGuard noGrad;
    std::deque<Together> groups = grouped(variants, done);
    const std::int64_t batches = std::ssize(m_batches);
    parallelFor(std::ssize(groups) * batches, [&](std::int64_t item) {
        Together &group = groups[static_cast<std::size_t>(item / batches)];
        runTogether(group, m_batches[static_cast<std::size_t>(item % batches)], control);
        if (--group.batchesLeft > 0)
            return;
        for (std::size_t i = 0; i < group.places.size(); ++i)
            done(group.places[i], group.outputs[i]);
        group.outputs.clear();
    });
    return {};
}

/// Variants by the first layer that they change; those that change nothing are done.
std::deque<ClassificationBlock::Together> ClassificationBlock::grouped(std::span<const Variant> variants,
                                                                        const OutputsOfVariant &done) const
{
    // As many as a paper's layer has heads: results come in steps, and a curve's hundreds of masks need no memory.
    constexpr std::size_t kTogether = 16;
    std::map<int, std::vector<std::size_t>> byLayer; // places in `variants`
    for (std::size_t v = 0; v < variants.size(); ++v)
        byLayer[firstChangedLayer(variants[v])].push_back(v);
    std::deque<Together> groups; // their flags and counters cannot move
    for (const auto &[layer, places] : byLayer) {
        for (std::size_t first = 0; layer >= 0 && first < places.size(); first += kTogether) {
            Together &group = groups.emplace_back();
            group.layer = layer;
            for (std::size_t i = first; i < std::min(places.size(), first + kTogether); ++i) {
                group.places.push_back(places[i]);
                group.variants.push_back(&variants[places[i]]);
            }
            group.batchesLeft = std::ssize(m_batches);
        }
    }
    for (std::size_t v : byLayer[-1])
        done(v, m_baseline);
    return groups;
}

/// Places in the layer of the variant's own heads.
std::vector<std::int64_t> ClassificationBlock::removedIn(int layer, const Variant &variant) const
{
    std::vector<std::int64_t> places;
    const std::vector<int> &heads = m_model.spec().encoder.heads[static_cast<std::size_t>(layer)];
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const HeadRef head{HeadKind::Encoder, layer, heads[i]};
        if (variant.mask.isMasked(head) && !m_base.isMasked(head))
            places.push_back(static_cast<std::int64_t>(i));
    }
    return places;
}

/// Gates of the layers behind `layer` for the variants' rows one after the other, `rows` each.
HeadGates ClassificationBlock::gatesAbove(int layer, std::span<const Variant *const> variants, std::int64_t rows) const
{
    HeadGates gates = HeadGates::fromMask(m_base, m_model.layout(), m_model.options());
    for (int above = layer + 1; above < m_model.spec().encoder.layers(); ++above) {
        const auto heads = std::ssize(m_model.spec().encoder.heads[static_cast<std::size_t>(above)]);
        auto own = torch::ones({std::ssize(variants), heads});
        bool any = false;
        for (std::size_t v = 0; v < variants.size(); ++v) {
            for (std::int64_t place : removedIn(above, *variants[v])) {
                own[static_cast<std::int64_t>(v)][place] = 0;
                any = true;
            }
        }
        if (!any)
            continue;
        torch::Tensor &gate = gates.edit(HeadKind::Encoder, above).gate; // [H] of the base, or none
        own = own.to(m_model.options());
        gate = (gate.defined() ? own * gate : own).repeat_interleave(rows, 0);
    }
    return gates;
}

torch::Tensor ClassificationBlock::logitsOf(const Batch &batch, int layer, std::span<const Variant *const> variants,
                                            const JobControl &control) const
{
    const int last = m_model.spec().encoder.layers() - 1;
    const EncoderState &start = batch.states[static_cast<std::size_t>(layer)];
    std::vector<std::vector<std::int64_t>> removed;
    for (const Variant *variant : variants)
        removed.push_back(removedIn(layer, *variant));
    EncoderState state = m_model.advanceVariants(
        start, HeadGates::fromMask(m_base, m_model.layout(), m_model.options()), removed);
    const HeadGates gates = gatesAbove(layer, variants, start.hidden.size(0));
    while (state.layer <= last) {
        control.checkpoint();
        if (state.layer == last)
            m_model.advanceToFirstPosition(state, gates);
        else
            m_model.advanceEncoder(state, state.layer + 1, gates);
    }
    return classifyState(m_model, state);
}

void ClassificationBlock::runTogether(Together &group, const Batch &batch, const JobControl &control) const
{
    std::call_once(group.begun, [&] {
        group.outputs.assign(group.variants.size(), std::vector<ExampleOutput>(m_baseline.size()));
    });
    const std::int64_t rows = std::ssize(batch.ids);
    const std::int64_t tokens = rows * batch.states.front().hidden.size(1);
    const auto fitting = static_cast<std::size_t>(std::max<std::int64_t>(1, m_run.batchTokens / tokens));
    const std::span<const Variant *const> variants(group.variants);
    for (std::size_t first = 0; first < variants.size(); first += fitting) {
        control.checkpoint();
        const auto chunk = variants.subspan(first, std::min(fitting, variants.size() - first));
        const auto logits = logitsOf(batch, group.layer, chunk, control);
        for (std::size_t v = 0; v < chunk.size(); ++v)
            place(m_task.makeOutputs(batch.ids, logits.narrow(0, static_cast<std::int64_t>(v) * rows, rows)),
                  group.outputs[first + v]);
    }
}

} // namespace headscope
