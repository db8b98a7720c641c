#include "core/task/replacements.h"

#include "core/base/random.h"
#include "core/task/batching.h"

#include <torch/torch.h>

namespace headscope {
namespace {

torch::Tensor indexTensor(const std::vector<std::int64_t> &values, const torch::Device &device)
{
    return torch::tensor(values, torch::kInt64).to(device);
}

/// For every row the one whose contexts stand in for its own: a random cyclic order, so never itself.
std::vector<std::int64_t> donors(std::int64_t rows, std::uint64_t seed)
{
    std::vector<std::int64_t> order = allIds(rows);
    Random random(seed);
    shuffle(order, random);
    std::vector<std::int64_t> donor(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        donor[static_cast<std::size_t>(order[i])] = order[(i + 1) % order.size()];
    return donor;
}

/// Another example's contexts, position by position from the left; a shorter one is gone through again.
torch::Tensor resampled(const torch::Tensor &contexts, const std::vector<std::int64_t> &lengths, std::uint64_t seed)
{
    const std::int64_t rows = contexts.size(0);
    const std::int64_t length = contexts.size(2);
    const std::vector<std::int64_t> donor = donors(rows, seed + static_cast<std::uint64_t>(rows));
    std::vector<std::int64_t> positions;
    for (std::int64_t from : donor) {
        const std::int64_t own = std::max<std::int64_t>(1, lengths[static_cast<std::size_t>(from)]);
        for (std::int64_t t = 0; t < length; ++t)
            positions.push_back(t % own);
    }
    const auto index = indexTensor(positions, contexts.device()).view({rows, 1, length, 1});
    return contexts.index_select(0, indexTensor(donor, contexts.device()))
        .gather(2, index.expand({-1, contexts.size(1), -1, contexts.size(3)}));
}

} // namespace

void ContextMeans::add(const Recorder &recorder, const std::map<HeadKind, torch::Tensor> &valid)
{
    for (const HeadLayout::Block &block : m_layout.blocks()) {
        const torch::Tensor &queries = valid.at(block.kind);
        m_counts[block.kind] += static_cast<double>(queries.sum().item<std::int64_t>());
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::string place = Recorder::place(block.kind, layer, "context");
            const auto found = recorder.tensors.find(place);
            if (found == recorder.tensors.end())
                continue;
            const auto weights = queries.view({queries.size(0), 1, queries.size(1), 1});
            const auto sum = (found->second * weights).sum(torch::IntArrayRef{0, 2}, false, torch::kFloat64);
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

HeadGates gatesFor(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                   const torch::TensorOptions &options, const ReplacementSource *source)
{
    HeadMask all = base;
    for (const HeadRef &head : variant.mask)
        all.set(head, true);
    HeadGates gates = HeadGates::fromMask(all, layout, options);
    if (variant.replacement == Replacement::Zero)
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
        const torch::Tensor &contexts = source->contexts.at(Recorder::place(kind, layer, "context"));
        gates.edit(kind, layer).replacement
            = variant.replacement == Replacement::Mean
                  ? contexts * selector.unsqueeze(1)
                  : resampled(contexts, source->lengths.at(kind), source->seed) * selector.view({1, -1, 1, 1});
    }
    return gates;
}

} // namespace headscope
