#pragma once

#include "core/base/headscales.h"
#include "core/base/keywindow.h"

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

/// Applied to the contexts c_h of one attention layer before its output projection:
///   c_h ← gate·c_h + (1 − gate)·replacement,
/// and to its scores, where heads see only some of the keys. Undefined tensors mean "nothing".
struct LayerGate
{
    torch::Tensor gate;               ///< [H], [B, H] or [B, H, T]
    torch::Tensor replacement;        ///< [H, Dh] or [B, H, T', Dh] (position t takes t mod T'); undefined = zeros
    std::vector<KeyWindow> windows{}; ///< [H], of an attention of a stack to itself; empty: every head sees all keys
};

/// The gates of a full model, one LayerGate per attention layer. Gating contexts instead of probabilities
/// leaves a masked head's attention map as it is (Michel et al. 2019, section 2.3).
class HeadGates
{
public:
    HeadGates() = default;

    /// Gates [H]: zeros where masked, else the head's factor, else ones; layers of ones stay undefined.
    static HeadGates fromMask(const HeadMask &mask, const HeadLayout &layout, const torch::TensorOptions &options,
                              const HeadScales &scales = {});

    const LayerGate &at(HeadKind kind, int layer) const
    {
        static const LayerGate kNone;
        const auto &layers = m_layers[static_cast<std::size_t>(kind)];
        return layer < static_cast<int>(layers.size()) ? layers[static_cast<std::size_t>(layer)] : kNone;
    }
    LayerGate &edit(HeadKind kind, int layer)
    {
        auto &layers = m_layers[static_cast<std::size_t>(kind)];
        if (layer >= static_cast<int>(layers.size()))
            layers.resize(static_cast<std::size_t>(layer) + 1);
        return layers[static_cast<std::size_t>(layer)];
    }
    /// The gates of rows `rows` [R] (int64) of the batch, for a batch that is filtered or reordered.
    HeadGates selectRows(const torch::Tensor &rows) const;
    /// Every row `times` times in succession: one for each beam of a sentence.
    HeadGates repeatRows(std::int64_t times) const;

private:
    template<typename Change>
    HeadGates withRows(Change &&change) const;
    std::array<std::vector<LayerGate>, 3> m_layers;
};

} // namespace headscope
