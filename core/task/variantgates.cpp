#include "core/task/variantgates.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

VariantGates::VariantGates(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                           const ReplacementRows *replacementRows)
    : m_replacementRows(replacementRows)
{
    const HeadMask mask = closedHeads(variant, base);
    for (const HeadLayout::Block &block : layout.blocks()) {
        auto &layers = m_layers[static_cast<std::size_t>(block.kind)];
        layers.resize(block.layers.size());
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            Layer &gates = layers[layer];
            for (int head : block.layers[layer]) {
                const HeadRef ref{block.kind, static_cast<int>(layer), head};
                gates.factors.push_back(headFactor(ref, mask, variant.scales));
                gates.shares.push_back(variant.mask.isMasked(ref) && !base.isMasked(ref) ? 1.0F : 0.0F);
            }
            const auto any = [](const std::vector<float> &values, float neutral) {
                return std::ranges::any_of(values, [&](float value) { return value != neutral; });
            };
            if (!any(gates.factors, 1))
                gates.factors.clear();
            if (!replacementRows || !any(gates.shares, 0))
                gates.shares.clear();
            gates.windows = windowsOf(variant, block, static_cast<int>(layer));
        }
    }
}

RowGate VariantGates::at(HeadKind kind, int layer, std::int64_t place) const
{
    RowGate gate;
    const auto &layers = m_layers[static_cast<std::size_t>(kind)];
    const auto index = static_cast<std::size_t>(layer);
    if (index >= layers.size())
        return gate;
    const Layer &own = layers[index];
    if (!own.factors.empty())
        gate.factors = own.factors.data();
    if (!own.windows.empty())
        gate.windows = own.windows.data();
    if (own.shares.empty())
        return gate;
    gate.shares = own.shares.data();
    gate.instead = &m_replacementRows->rows.at({kind, layer});
    if (const auto donors = m_replacementRows->donors.find(kind); donors != m_replacementRows->donors.end()) {
        gate.first = donors->second.first(place);
        gate.count = std::max<std::int64_t>(1, donors->second.length(place));
    }
    return gate;
}

} // namespace headscope
