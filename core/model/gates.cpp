#include "core/model/gates.h"

namespace headscope {

HeadGates HeadGates::fromMask(const HeadMask &mask, const HeadLayout &layout, const torch::TensorOptions &options,
                              const HeadScales &scales)
{
    HeadGates gates;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::vector<int> &heads = block.layers[static_cast<std::size_t>(layer)];
            std::vector<float> values;
            bool any = false;
            for (int head : heads) {
                values.push_back(headFactor({block.kind, layer, head}, mask, scales));
                any = any || values.back() != 1.0F;
            }
            if (any)
                gates.edit(block.kind, layer).gate = torch::tensor(values).to(options);
        }
    }
    return gates;
}

template<typename Change>
HeadGates HeadGates::withRows(Change &&change) const
{
    HeadGates changed = *this;
    for (auto &layers : changed.m_layers) {
        for (LayerGate &layer : layers) {
            if (layer.gate.defined() && layer.gate.dim() > 1)
                layer.gate = change(layer.gate);
            if (layer.replacement.defined() && layer.replacement.dim() > 2)
                layer.replacement = change(layer.replacement);
        }
    }
    return changed;
}

HeadGates HeadGates::selectRows(const torch::Tensor &rows) const
{
    return withRows([&](const torch::Tensor &tensor) { return tensor.index_select(0, rows); });
}

HeadGates HeadGates::repeatRows(std::int64_t times) const
{
    return withRows([&](const torch::Tensor &tensor) { return tensor.repeat_interleave(times, 0); });
}

} // namespace headscope
