#pragma once

#include "core/model/transformer.h"
#include "core/packed/kernels.h"
#include "core/packed/rows.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace headscope {

/// The factors of heads, sequence by sequence: [heads] floats each, nullptr where all are one.
using HeadFactors = std::vector<const float *>;

/// Keys and values [count, 2A] that the queries of one sequence attend to.
struct KeyRows
{
    const float *keyValue = nullptr;
    std::int64_t count = 0;
};

/// The gated Transformer once more, for many sequences at once on a processor: rows of all sequences lie one after the
/// other without padding, weights are laid out once, and a layer falls into the steps between which variants part:
/// keys and values, contexts, what closes a sub-layer. Its plain twin is Transformer, whose weights it was made from.
/// Immutable; threads may share it, and every call runs on the thread that makes it.
class PackedModel
{
public:
    /// In float32 on the CPU, with a library for packed products.
    static bool canRun(const Transformer &model);
    PackedModel(std::shared_ptr<const Transformer> model, Products products);

    const TransformerSpec &spec() const { return m_model->spec(); }

    /// One attention sub-layer and how it is closed.
    struct Attention
    {
        std::int64_t heads = 0;
        std::int64_t headWidth = 0;
        PackedLinear query;    ///< D → A = heads·headWidth
        PackedLinear keyValue; ///< D → 2A, keys first
        PackedLinear out;      ///< A → D
        torch::Tensor outBias; ///< [D], what a layer without heads adds
        Norm norm;

        std::int64_t width() const { return heads * headWidth; }
    };
    const Attention &encoderAttention(int layer) const { return m_encoder[static_cast<std::size_t>(layer)].self; }
    const Attention &selfAttention(int layer) const { return m_decoder[static_cast<std::size_t>(layer)].self; }
    const Attention &crossAttention(int layer) const { return m_decoder[static_cast<std::size_t>(layer)].cross; }

    /// hidden [R, D] → what its queries and keys are made from: normalised first where the model does so.
    Rows attentionInput(const Attention &attention, const Rows &hidden) const;
    /// input [R, D] → [R, A] and [R, 2A].
    Rows queries(const Attention &attention, const Rows &input) const;
    Rows keysAndValues(const Attention &attention, const Rows &input) const;
    /// Contexts of an encoder layer from hidden states [R, D]: of all positions [R, A], or of every sequence's first [N, A].
    Rows encoderContext(int layer, const Rows &hidden, const Sequences &sequences, const HeadFactors &factors) const;
    Rows firstContext(int layer, const Rows &hidden, const Sequences &sequences, const HeadFactors &factors) const;
    /// Contexts of a decoder layer's cross-attention from hidden states behind its self-attention [T, D].
    Rows crossContext(int layer, const Rows &middle, const Sequences &sequences, std::span<const KeyRows> memory,
                      const HeadFactors &factors) const;
    /// hidden [R, D], context [R, A] → hidden behind the sub-layer [R, D].
    Rows closeAttention(const Attention &attention, const Rows &hidden, const Rows &context) const;
    Rows feedForward(HeadKind stack, int layer, const Rows &hidden) const;
    /// The norm behind the last layer, where there is one.
    Rows finish(HeadKind stack, Rows hidden) const;

    /// The rest of a layer behind its last contexts.
    Rows closeEncoderLayer(int layer, const Rows &hidden, const Rows &context) const
    {
        return feedForward(HeadKind::Encoder, layer, closeAttention(encoderAttention(layer), hidden, context));
    }
    Rows closeDecoderLayer(int layer, const Rows &middle, const Rows &context) const
    {
        return feedForward(HeadKind::Decoder, layer, closeAttention(crossAttention(layer), middle, context));
    }

    /// The best of every row of hidden states [R, D] over the vocabulary; `adjust` sees blocks of
    /// scores before they are compared: (scores [rows, columns], first row, rows, first column, columns).
    struct Choice
    {
        std::int64_t token = 0;
        float margin = 0; ///< by which its score beats the second
    };
    using AdjustScores = std::function<void(float *scores, std::int64_t firstRow, std::int64_t rows,
                                            std::int64_t firstColumn, std::int64_t columns)>;
    std::vector<Choice> choices(const Rows &hidden, const AdjustScores &adjust) const;
    /// The `count` likeliest tokens of every row with their log-probabilities, best first: [R · count], fewer tokens than
    /// asked for end in −∞. `before` adjusts scores in front of the softmax, `behind` its results, which `renormalize`
    /// then makes sum to one again.
    std::vector<kernels::Scored> likeliest(const Rows &hidden, std::int64_t count, const AdjustScores &before,
                                           const AdjustScores &behind, bool renormalize) const;
    /// max |logit − logit'| over all rows and the vocabulary: against given logits [R, V].
    float largestLogitDifference(const Rows &hidden, const torch::Tensor &logits) const;
    /// How far two models differ about how near tokens are to each other: over all rows of their own hidden states, the
    /// largest difference of (best logit − logit of one of the kNear next) between them, as this model sees best and next.
    float largestMarginError(const Rows &hidden, const PackedModel &other, const Rows &otherHidden) const;
    static constexpr std::int64_t kNear = 7;

private:
    struct Layer
    {
        Attention self;
        Attention cross;
        PackedLinear feedForwardIn, feedForwardOut;
        Norm feedForwardNorm;
    };
    Attention packAttention(const AttentionWeights &weights, std::int64_t headWidth) const;
    Layer packLayer(const LayerWeights &weights, const StackSpec &stack) const;
    /// Scores [rows, columns] of hidden states over the vocabulary, part by part: (scores, first row, rows, first column,
    /// columns).
    void forScores(const Rows &hidden, const AdjustScores &take) const;
    void normalize(const float *input, std::int64_t rows, const Norm &norm, float *output) const;
    Rows closed(const Rows &hidden, const Rows &output, const Norm &norm) const;

    std::shared_ptr<const Transformer> m_model;
    Products m_products;
    std::vector<Layer> m_encoder;
    std::vector<Layer> m_decoder;
    std::vector<PackedLinear> m_output; ///< the vocabulary in parts
};

/// A model packed for each kind of products, as far as somebody asked for it.
class PackedModels
{
public:
    explicit PackedModels(std::shared_ptr<const Transformer> model);
    bool canRun() const { return PackedModel::canRun(*m_model); }
    const PackedModel &with(Products products) const;

private:
    std::shared_ptr<const Transformer> m_model;
    mutable std::array<std::once_flag, kProductKinds> m_made;
    mutable std::array<std::unique_ptr<PackedModel>, kProductKinds> m_packed;
};

/// Attention of every sequence's queries to keys of its own, with heads scaled by `factors` (empty: not at all).
/// queries [R, A], contexts [R, A]; keys[s] belong to sequence s.
Rows contexts(const PackedModel::Attention &attention, const Rows &queries, const Sequences &sequences,
              std::span<const KeyRows> keys, bool causal, const HeadFactors &factors);
/// The same with keys that are put together for one sequence after the other: they are read before the next is asked for.
/// No sequence has more than `longest`.
Rows contexts(const PackedModel::Attention &attention, const Rows &queries, const Sequences &sequences,
              const std::function<KeyRows(std::int64_t sequence)> &keysOf, std::int64_t longest, bool causal,
              const HeadFactors &factors);
/// Scales the heads of contexts [R, A].
void scaleContexts(Rows &context, const PackedModel::Attention &attention, const Sequences &sequences,
                   const HeadFactors &factors);
/// The keys of sequences that attend to themselves.
std::vector<KeyRows> ownKeys(const Rows &keyValues, const Sequences &sequences);
/// Hidden states of a padded batch [B, S, D] without the padding.
Rows withoutPadding(const torch::Tensor &padded, const Sequences &sequences);
/// Rows of some sequences one after the other.
Rows gather(const Rows &from, const Sequences &sequences, std::span<const std::int64_t> chosen);
/// The first rows of some sequences, as many as the sequences of `lengths` have.
Rows gather(const Rows &from, const Sequences &sequences, std::span<const std::int64_t> chosen,
            const Sequences &lengths);
/// Some rows.
Rows gatherRows(const Rows &from, std::span<const std::int64_t> rows);
/// All rows of several matrices of one width, one after the other.
Rows joined(std::span<const Rows> parts);
/// The first row of every sequence.
Rows firstRows(const Rows &from, const Sequences &sequences);

} // namespace headscope
