#pragma once

#include "core/model/disentangled.h"
#include "core/packed/rowmodel.h"
#include "core/packed/torchlinear.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Rows by LibTorch, on any device: what a GPU runs, and what a processor runs without a library for packed products.
/// Tokens, logits and everything else stay on the device; decisions come back in one transfer. Transfers to it grow
/// with the number of sequences, not of rows, and are asynchronous.
class TorchRowModel final : public RowModel
{
public:
    /// Precondition: TorchLinear::canMake(). Exact products are those of the model's own type.
    TorchRowModel(std::shared_ptr<const Transformer> model, Products products);

    Rows normalize(const Norm &norm, Rows x) const override;
    Rows queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const override;
    Rows keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const override;
    Rows attend(Side side, int place, const Rows &queries, const Sequences &sequences, const KeySource &keys,
                const RowGates &gates) const override;
    Rows gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
              std::span<const std::int64_t> positions, const RowGates &gates) const override;
    Rows close(Side side, int place, const Rows &context) const override;
    Rows feedForward(Side side, int place, const Rows &x) const override;
    Rows scale(Rows output, double by) const override;
    Rows add(const Rows &a, Rows b) const override;
    std::vector<Forced> forced(const Rows &hidden, std::span<const std::int64_t> tokens) const override;

private:
    std::vector<Choice> choicesOfLogits(const Rows &hidden, const ScoreEdits &edits) const override;
    std::vector<std::vector<ScoredToken>> likeliestOfLogits(const Rows &hidden, std::int64_t count,
                                                            const ScoreEdits &edits) const override;
    void forLogits(const Rows &hidden, const TakeLogits &take) const override;

    struct LayerProducts
    {
        TorchLinear in, gate;   ///< D → F
        TorchLinear out;        ///< F → D
        TorchLinear router;     ///< D → experts
        TorchLinear sharedGate; ///< D → 1
        std::vector<LayerProducts> experts;
    };
    struct SubLayerProducts
    {
        TorchLinear query, keyValue; ///< D → Q and D → K, keys first
        TorchLinear out;             ///< A → D
        LayerProducts layer{};       ///< of a feed-forward layer
        DistanceHeads distances{};   ///< of every row of the stack's table
    };
    SubLayerProducts productsOf(const SubLayer &sub, const SubLayerWeights &weights, const StackWeights &stack) const;
    const SubLayerProducts &at(Side side, int place) const
    {
        return (side == Side::Encoder ? m_encoder : m_decoder)[static_cast<std::size_t>(place)];
    }
    const AttentionSpec &attention(Side side, int place) const { return *spec().stack(side)->at(place).attention(); }
    LayerProducts layerOf(const FeedForwardWeights &weights) const;
    /// x [R, D] → [R, D].
    torch::Tensor through(const FeedForwardSpec &what, const LayerProducts &own, const torch::Tensor &x) const;
    torch::Tensor turned(const torch::Tensor &rows, const AttentionSpec &attention,
                         std::span<const std::int64_t> positions) const;

    Products m_products;
    std::vector<SubLayerProducts> m_encoder, m_decoder; ///< by place
    TorchLinear m_output;                               ///< the vocabulary
};

} // namespace headscope
