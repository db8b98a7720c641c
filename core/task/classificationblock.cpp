#include "core/task/classificationblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {

torch::Tensor classifyState(const Transformer &model, const EncoderState &state)
{
    return model.classify(model.finishEncoder(state).hidden.select(1, 0));
}

ClassificationBlock::ClassificationBlock(const ClassificationTask &task, const HeadMask &base, Replacement replacement,
                                         const RunOptions &run)
    : m_task(task), m_model(task.model()), m_base(base), m_replacement(replacement), m_run(run)
{
}

std::shared_ptr<const ClassificationBlock> ClassificationBlock::make(const ClassificationTask &task,
                                                                     std::vector<std::int64_t> ids,
                                                                     const HeadMask &base, Replacement replacement,
                                                                     const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<ClassificationBlock> block(new ClassificationBlock(task, base, replacement, run));
    if (replacement == Replacement::Mean)
        block->m_meanContexts = task.meanContexts(control);
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
        for (const auto &[name, contexts] : batch.contexts)
            add(contexts);
    }
    return block;
}

void ClassificationBlock::runBase(Batch &batch, const JobControl &control)
{
    const HeadGates gates = HeadGates::fromMask(m_base, m_model.layout(), m_model.options());
    Recorder recorder;
    recorder.contexts = true;
    const TokenBatch tokens = m_task.batch(batch.ids);
    batch.lengths = tokens.lengths;
    EncoderState state = m_model.beginEncoder(tokens);
    for (int layer = 0; layer < m_model.spec().encoder.layers(); ++layer) {
        control.checkpoint();
        batch.states.push_back(state);
        m_model.advanceEncoder(state, layer + 1, gates, m_replacement == Replacement::Resample ? &recorder : nullptr);
    }
    place(m_task.makeOutputs(batch.ids, classifyState(m_model, state)), m_baseline);
    batch.contexts = std::move(recorder.tensors);
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
    for (const HeadRef &head : variant.mask) {
        if (!m_base.isMasked(head) && (first < 0 || head.layer < first))
            first = head.layer;
    }
    return first;
}

HeadGates ClassificationBlock::gatesFor(const Variant &variant, const Batch &batch) const
{
    const ReplacementSource source{variant.replacement == Replacement::Mean ? m_meanContexts : batch.contexts,
                                   {{HeadKind::Encoder, batch.lengths}},
                                   m_run.seed};
    return headscope::gatesFor(variant, m_base, m_model.layout(), m_model.options(), &source);
}

std::vector<ExampleOutput> ClassificationBlock::outputs(const Variant &variant, const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    const int first = m_run.plain ? 0 : firstChangedLayer(variant);
    if (first < 0)
        return m_baseline;
    std::vector<ExampleOutput> outputs(m_baseline.size());
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

} // namespace headscope
