#include "core/task/replacements.h"

#include "core/base/random.h"
#include "core/task/batching.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

/// Examples of a set in a random circle.
std::vector<std::int64_t> randomCircle(std::int64_t size, std::uint64_t seed)
{
    std::vector<std::int64_t> order = allIds(size);
    Random random(seed);
    shuffle(order, random);
    return order;
}

/// For every example the one whose contexts replace its own.
std::vector<std::int64_t> replacementIds(const ReplacementPlan &plan, const Task &evaluated,
                                         const std::vector<std::int64_t> &ids, std::int64_t draw, std::uint64_t seed)
{
    const auto circle = randomCircle(plan.reference ? plan.reference->size() : evaluated.size(), seed);
    const std::int64_t size = std::ssize(circle);
    std::vector<std::int64_t> placeOf(circle.size());
    for (std::int64_t place = 0; place < size; ++place)
        placeOf[static_cast<std::size_t>(circle[static_cast<std::size_t>(place)])] = place;
    std::vector<std::int64_t> chosen;
    for (std::int64_t id : ids) {
        const std::int64_t own = plan.reference ? id % size : placeOf[static_cast<std::size_t>(id)];
        chosen.push_back(circle[static_cast<std::size_t>((own + draw + 1) % size)]);
    }
    return chosen;
}

/// contexts [B, H, T, Dh] with every row's own positions repeated up to `width`.
torch::Tensor repeated(const torch::Tensor &contexts, const std::vector<std::int64_t> &lengths, std::int64_t width)
{
    const std::int64_t rows = contexts.size(0);
    std::vector<std::int64_t> positions;
    for (std::int64_t length : lengths) {
        for (std::int64_t t = 0; t < width; ++t)
            positions.push_back(t % std::max<std::int64_t>(1, length));
    }
    const auto index = indexTensor(positions, contexts.device()).view({rows, 1, width, 1});
    return contexts.gather(2, index.expand({-1, contexts.size(1), -1, contexts.size(3)}));
}

} // namespace

void ContextMeans::add(const ContextBatch &batch)
{
    for (const HeadLayout::Block &block : m_layout.blocks()) {
        const auto &lengths = batch.lengths.at(block.kind);
        for (std::int64_t length : lengths)
            m_counts[block.kind] += static_cast<double>(length);
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::string place = Recorder::place(block.kind, layer, "context");
            const auto found = batch.tensors.find(place);
            if (found == batch.tensors.end())
                continue;
            const torch::Tensor &contexts = found->second;
            const auto weights = validPositions(lengths, contexts.size(2), contexts.device())
                                     .view({contexts.size(0), 1, contexts.size(2), 1});
            const auto sum = (contexts * weights).sum(torch::IntArrayRef{0, 2}, false, torch::kFloat64);
            m_sums[place] = m_sums.contains(place) ? m_sums[place] + sum : sum;
        }
    }
}

Contexts ContextMeans::means(const torch::TensorOptions &options) const
{
    Contexts means;
    for (const HeadLayout::Block &block : m_layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::string place = Recorder::place(block.kind, layer, "context");
            if (const auto sum = m_sums.find(place); sum != m_sums.end())
                means[place] = (sum->second / m_counts.at(block.kind)).to(options);
        }
    }
    return means;
}

void checkPlan(const ReplacementPlan &plan, const Task &evaluated)
{
    if (plan.kind != Replacement::Resample)
        return;
    const std::int64_t available = plan.reference ? plan.reference->size() : evaluated.size() - 1;
    if (plan.draws > available)
        throw Failure(usageError("--replace resample with " + std::to_string(plan.draws)
                                 + " draws needs as many other examples, but there are only "
                                 + std::to_string(std::max<std::int64_t>(0, available))
                                 + ". Give more examples, fewer --draws, or another set (--reference-on)."));
}

const Contexts *constantContexts(const ReplacementPlan &plan, const Task &evaluated, const JobControl &control)
{
    if (plan.kind == Replacement::Mean)
        return &(plan.reference ? *plan.reference : evaluated).meanContexts(control);
    return plan.kind == Replacement::Optimal ? plan.constants.get() : nullptr;
}

ContextBatch donorContexts(const ReplacementPlan &plan, const Task &evaluated, const std::vector<std::int64_t> &ids,
                           std::int64_t draw, const HeadGates &gates, std::uint64_t seed)
{
    const Task &reference = plan.reference ? *plan.reference : evaluated;
    return reference.contexts(replacementIds(plan, evaluated, ids, draw, seed), gates, false);
}

std::map<std::pair<HeadKind, int>, torch::Tensor> byAttention(const Contexts &contexts, const HeadLayout &layout)
{
    std::map<std::pair<HeadKind, int>, torch::Tensor> found;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            if (const auto place = contexts.find(Recorder::place(block.kind, layer, "context"));
                place != contexts.end())
                found[{block.kind, layer}] = place->second;
        }
    }
    return found;
}

Contexts replacementContexts(const ReplacementPlan &plan, const Task &evaluated, const std::vector<std::int64_t> &ids,
                             std::int64_t draw, const HeadGates &gates, std::uint64_t seed, std::int64_t longestOutput)
{
    ContextBatch batch = donorContexts(plan, evaluated, ids, draw, gates, seed);
    const auto shapes = evaluated.gateShapes(ids);
    for (const HeadLayout::Block &block : evaluated.layout().blocks()) {
        const std::int64_t read = shapes.at(block.kind).positions;
        const std::int64_t width = block.kind == HeadKind::Encoder ? read : std::max(read, longestOutput);
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const auto found = batch.tensors.find(Recorder::place(block.kind, layer, "context"));
            if (found != batch.tensors.end())
                found->second = repeated(found->second, batch.lengths.at(block.kind), std::max<std::int64_t>(1, width));
        }
    }
    return std::move(batch.tensors);
}

HeadGates gatesFor(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                   const torch::TensorOptions &options, const Contexts *contexts)
{
    HeadGates gates = HeadGates::fromMask(closedHeads(variant, base), layout, options, variant.scales);
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            if (auto windows = windowsOf(variant, block, layer); !windows.empty())
                gates.edit(block.kind, layer).windows = std::move(windows);
        }
    }
    if (!takesContexts(variant.replacement))
        return gates;
    std::map<std::pair<HeadKind, int>, HeadMask> byLayer;
    for (const HeadRef &head : variant.mask) {
        if (!base.isMasked(head))
            byLayer[{head.kind, head.layer}].set(head, true);
    }
    for (const auto &[where, heads] : byLayer) {
        const auto &[kind, layer] = where;
        std::vector<float> chosen;
        for (int head : layout.block(kind)->layers[static_cast<std::size_t>(layer)])
            chosen.push_back(heads.isMasked({kind, layer, head}) ? 1.0F : 0.0F);
        const auto selector = torch::tensor(chosen).to(options);
        const torch::Tensor &instead = contexts->at(Recorder::place(kind, layer, "context"));
        gates.edit(kind, layer).replacement
            = instead * (instead.dim() == 2 ? selector.unsqueeze(1) : selector.view({1, -1, 1, 1}));
    }
    return gates;
}

} // namespace headscope
