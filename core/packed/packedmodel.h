#pragma once

#include "core/model/disentangled.h"
#include "core/packed/kernels.h"
#include "core/packed/rowmodel.h"
#include "core/packed/tokenscreen.h"
#include "core/packed/vocabularyproduct.h"
#include "core/tensor/execution.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace headscope {

/// Rows by oneDNN on a processor: weights are packed once for products of one kind, everything else is loops over
/// floats (kernels.h). Every call runs on the calling thread.
class PackedModel final : public RowModel
{
public:
    /// In float32 on the CPU, with a library for packed products.
    static bool canRun(const Transformer &model);
    /// Weights are laid out by the workers of `execution`.
    PackedModel(std::shared_ptr<const Transformer> model, Products products, const Execution &execution);

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
    void expectChoices(std::int64_t rows, const Execution &execution) const override;
    /// From now on choices are screened, whether that is worth it or not. Preconditions: TokenScreen's.
    void screenTokens(const Execution &execution) const;

private:
    struct LayerProducts
    {
        PackedLinear in, gate;   ///< D → F
        PackedLinear out;        ///< F → D
        PackedLinear router;     ///< D → experts
        PackedLinear sharedGate; ///< D → 1
        std::vector<LayerProducts> experts;
    };
    struct SubLayerProducts
    {
        PackedLinear query, keyValue; ///< D → Q and D → K, keys first
        PackedLinear out;             ///< A → D
        LayerProducts layer;          ///< of a feed-forward layer
        torch::Tensor outBias;        ///< [D], what an attention without heads adds; undefined: nothing
        std::vector<std::int64_t> keyPlaces, valuePlaces; ///< of the heads; empty where each has its own
        DistanceHeads distances{};                        ///< of every row of the stack's table
    };
    /// Clips, norms and chooses what projections gave, in the first columns of `rows`: `projected` heads of width Dq,
    /// of which the places `left` stay. Behind them stays what is behind them.
    Rows prepared(const AttentionSpec &attention, const Norm &norm, Rows rows, std::int64_t projected,
                  const std::vector<int> &left) const;
    LayerProducts packLayer(const FeedForwardSpec &what, const FeedForwardWeights &weights) const;
    void runLayer(const FeedForwardSpec &what, const LayerProducts &own, const Rows &x, Rows &output) const;
    void addExperts(const FeedForwardSpec &what, const LayerProducts &own, const Rows &x, Rows &output) const;
    SubLayerProducts pack(const SubLayer &sub, const SubLayerWeights &weights, const StackWeights &stack) const;
    const SubLayerProducts &at(Side side, int place) const
    {
        return (side == Side::Encoder ? m_encoder : m_decoder)[static_cast<std::size_t>(place)];
    }
    const AttentionSpec &attention(Side side, int place) const { return *spec().stack(side)->at(place).attention(); }

    std::vector<Choice> choicesOfLogits(const Rows &hidden, const ScoreEdits &edits) const override;
    std::vector<std::vector<ScoredToken>> likeliestOfLogits(const Rows &hidden, std::int64_t count,
                                                            const ScoreEdits &edits) const override;
    void forLogits(const Rows &hidden, const TakeLogits &take) const override;
    std::vector<Choice> choicesOfAll(const Rows &hidden, const ScoreEdits &edits) const;
    /// Scores of hidden states behind the stack over the vocabulary.
    void forScores(const Rows &behindStack, const VocabularyProduct::TakeScores &take) const;

    Products m_products;
    std::vector<SubLayerProducts> m_encoder, m_decoder; ///< by place
    VocabularyProduct m_output;
    mutable std::once_flag m_screenOnce;
    mutable std::unique_ptr<const TokenScreen> m_screenMade;
    mutable std::atomic<const TokenScreen *> m_screen = nullptr; ///< once it is there
};

/// Bytes that the weights of a model take once they are packed for such products.
std::int64_t packedBytes(const Transformer &model, Products products);

} // namespace headscope
