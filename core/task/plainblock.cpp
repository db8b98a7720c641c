#include "core/task/plainblock.h"

#include "core/task/generationrunner.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

namespace headscope {

std::vector<ExampleOutput> PlainPath::outputs(const std::vector<std::int64_t> &ids, const Variant &variant,
                                              const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    const auto gatesOf = [&](const std::vector<std::int64_t> &batch) {
        Contexts instead;
        if (const Contexts *constants = constantContexts(m_plan, m_task, control))
            instead = *constants;
        else if (variant.replacement == Replacement::Resample)
            instead = replacementContexts(m_plan, m_task, batch, variant.draw,
                                          HeadGates::fromMask(m_base, m_task.layout(), m_task.tensorOptions()),
                                          m_run.seed, m_task.mostDecoderPositions(m_run));
        return gatesFor(variant, m_base, m_task.layout(), m_task.tensorOptions(), &instead);
    };
    return m_task.plainOutputs(ids, gatesOf, m_run, false, control);
}

std::shared_ptr<const PlainBlock> PlainBlock::make(const Task &task, std::vector<std::int64_t> ids,
                                                   const HeadMask &base, const ReplacementPlan &plan,
                                                   const RunOptions &run, const JobControl &control)
{
    std::shared_ptr<PlainBlock> block(new PlainBlock(PlainPath(task, base, plan, run), std::move(ids)));
    block->m_baseline = block->m_path.outputs(block->m_ids, {}, control);
    return block;
}

std::vector<ExampleOutput> PlainBlock::outputs(const Variant &variant, const JobControl &control) const
{
    return m_path.outputs(m_ids, variant, control);
}

PrecisionCheck PlainBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                        const JobControl &control) const
{
    m_path.task().execution().runPieces(std::ssize(variants), [&](std::int64_t v) {
        const auto variant = static_cast<std::size_t>(v);
        done(variant, outputs(variants[variant], control));
    });
    return {};
}

} // namespace headscope
