#pragma once

#include "core/model/dropout.h"
#include "core/model/gates.h"
#include "core/model/spec.h"
#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// A padded batch of token ids. Validity comes from lengths, never from comparing with the padding id
/// (Marian's decoder starts with it).
struct TokenBatch
{
    torch::Tensor ids; ///< [B, T] int64
    std::vector<std::int64_t> lengths;
    torch::Tensor typeIds{}; ///< [B, T] int64; undefined = zeros

    static TokenBatch pad(const std::vector<std::vector<std::int64_t>> &rows, std::int64_t padId,
                          const torch::Device &device);
};

/// [B, T], 1 where a position is valid.
torch::Tensor validPositions(const std::vector<std::int64_t> &lengths, std::int64_t width,
                             const torch::Device &device);

/// Keeps tensors of named places of a forward pass, such as "encoder.2.self.context".
struct Recorder
{
    bool probabilities = false; ///< "….probabilities" [B, H, T, S], rows sum to 1
    bool contexts = false;      ///< "….context" [B, H, T, Dh], before the gate
    /// "….input" [B, T, D], what the sub-layer adds its output to, "encoder.2.feed_forward.input" too; and
    /// "encoder.embedding" [B, T, E], the sum of the embeddings before their norm.
    bool inputs = false;
    bool values = false; ///< "….value" [B, H, S, Dh], value vectors of the keys
    std::map<std::string, torch::Tensor> tensors;

    static std::string place(HeadKind kind, int layer, const char *what);
    /// Of a layer's feed-forward; `decoder`: of the decoder's.
    static std::string feedForwardPlace(bool decoder, int layer);
    const torch::Tensor &at(HeadKind kind, int layer, const char *what) const
    {
        return tensors.at(place(kind, layer, what));
    }
};

/// The encoder between two layers: everything needed to go on from here, with whatever gates.
struct EncoderState
{
    torch::Tensor hidden;  ///< [B, S, D], input of layer `layer`
    torch::Tensor keyBias; ///< [B, 1, 1, S], 0 on valid keys, the lowest number on padding
    int layer = 0;
    Dropout *dropout = nullptr; ///< in training only
};

/// Encoder output as the decoder sees it.
struct Memory
{
    torch::Tensor hidden;  ///< [N, S, D]
    torch::Tensor keyBias; ///< [N, 1, 1, S]

    Memory selectRows(const torch::Tensor &rows) const;
};

/// Keys and values of one attention layer, [B, H, T, Dh]. Undefined where a layer has no heads.
struct KeyValue
{
    torch::Tensor key;
    torch::Tensor value;

    KeyValue selectRows(const torch::Tensor &rows) const;
};

/// The decoder over whole target prefixes (teacher forcing), between two layers.
struct DecoderState
{
    torch::Tensor hidden;   ///< [B, T, D], input of layer `layer`
    torch::Tensor selfBias; ///< [1, 1, T, T], causal
    int layer = 0;
    Dropout *dropout = nullptr; ///< in training only
};

/// What decoding token by token keeps: rows may have different lengths, and several rows (beams) may share one
/// source sentence.
struct DecodeCache
{
    std::vector<KeyValue> self;        ///< per layer, [B, H, capacity, Dh]
    std::vector<KeyValue> cross;       ///< per layer, [N, H, S, Dh]
    torch::Tensor memoryBias;          ///< [N, 1, 1, S]
    std::vector<std::int64_t> lengths; ///< [B], positions filled
    std::int64_t beams = 1;            ///< B = N·beams

    std::int64_t rows() const { return static_cast<std::int64_t>(lengths.size()); }
    /// Keeps target rows `rows` and source sentences `sentences` (undefined = all).
    void select(const torch::Tensor &rows, const torch::Tensor &sentences);
};

/// The non-linearity of feed-forward layers, element by element.
torch::Tensor activate(const torch::Tensor &input, Activation activation);

/// The gated Transformer: computes whatever a TransformerSpec describes (post- and pre-norm, Vaswani et al. 2017),
/// layer by layer over explicit states, so that a caller can stop in front of a layer and go on from there with
/// many variants. Immutable and safe to use from several threads. Gradients flow if grad mode is on.
///
/// Letters: B rows, N sentences, S source positions, T target positions, H heads, Dh head width, D width,
/// V vocabulary.
class Transformer
{
public:
    Transformer(TransformerSpec spec, TransformerWeights weights);

    const TransformerSpec &spec() const { return m_spec; }
    const HeadLayout &layout() const { return m_layout; }
    torch::Device device() const { return m_weights.encoder.embedding.device(); }
    torch::ScalarType dtype() const { return m_weights.encoder.embedding.scalar_type(); }
    torch::TensorOptions options() const { return torch::TensorOptions().device(device()).dtype(dtype()); }
    const TransformerWeights &weights() const { return m_weights; }

    /// With `dropout`, this state's layers drop as in training: embeddings and the output of every sub-layer.
    EncoderState beginEncoder(const TokenBatch &source, Dropout *dropout = nullptr, Recorder *recorder = nullptr) const;
    /// Runs layers state.layer … toLayer − 1.
    void advanceEncoder(EncoderState &state, int toLayer, const HeadGates &gates, Recorder *recorder = nullptr) const;
    /// Runs the last layer for the first position only, all that a classifier needs: hidden becomes [B, 1, D].
    /// Precondition: state.layer is the last layer.
    void advanceToFirstPosition(EncoderState &state, const HeadGates &gates) const;
    /// Several variants of layer state.layer at once: variant v lacks the heads removed[v] (places in the layer) besides
    /// what `gates` says. Attention is computed once; a head is taken out by subtracting what it adds. The state behind
    /// the layer has the variants' rows one after the other, [V·B, S, D], or [V·B, 1, D] for the last layer.
    EncoderState advanceVariants(const EncoderState &state, const HeadGates &gates,
                                 const std::vector<std::vector<std::int64_t>> &removed) const;
    Memory finishEncoder(const EncoderState &state) const;
    /// begin, advance and finish in one.
    Memory encode(const TokenBatch &source, const HeadGates &gates, Recorder *recorder = nullptr) const;

    /// ‖W_O^h v‖ of value vectors [B, H, S, Dh] of one attention → [B, H, S] (Kobayashi et al. 2020, equation 5).
    torch::Tensor valueNorms(HeadKind kind, int layer, const torch::Tensor &values) const;

    /// Encoder output at the first position [B, D] → logits [B, K], float32. Precondition: spec().classifier.
    torch::Tensor classify(const torch::Tensor &first) const;

    /// Keys and values of the memory for every decoder layer from `fromLayer` on (the others stay undefined).
    std::vector<KeyValue> crossKeyValues(const Memory &memory, int fromLayer = 0) const;

    DecoderState beginDecoder(const TokenBatch &targetInput, Dropout *dropout = nullptr,
                              Recorder *recorder = nullptr) const;
    /// Runs layers state.layer … toLayer − 1 over whole prefixes. If `selfOut` is given it gets the keys and
    /// values of these layers ([B, H, T, Dh]).
    void advanceDecoder(DecoderState &state, int toLayer, const std::vector<KeyValue> &cross,
                        const torch::Tensor &memoryBias, const HeadGates &gates,
                        std::vector<KeyValue> *selfOut = nullptr, Recorder *recorder = nullptr) const;
    /// Decoder output [..., D] → logits [..., V], float32.
    torch::Tensor logits(const torch::Tensor &hidden) const;
    torch::Tensor finishDecoder(const DecoderState &state) const;

    /// Decoder input of single tokens [R] at positions [R] → [R, D].
    torch::Tensor embedTargets(const torch::Tensor &tokens, const torch::Tensor &positions) const;
    DecodeCache beginDecoding(const Memory &memory, std::int64_t beams) const;
    /// One step: tokens [B] at positions cache.lengths → logits [B, V]; the cache grows by one position.
    /// Gates with rows have one per sentence (N).
    torch::Tensor decodeStep(DecodeCache &cache, const torch::Tensor &tokens, const HeadGates &gates) const;

private:
    /// `recorded` gets the sum before the norm.
    torch::Tensor embed(const StackWeights &stack, const torch::Tensor &ids, const torch::Tensor &positions,
                        const torch::Tensor &typeIds = {}, torch::Tensor *recorded = nullptr) const;
    torch::Tensor encoderPositions(const torch::Tensor &ids) const;
    torch::Tensor normalize(const torch::Tensor &input, const Norm &norm) const;
    torch::Tensor feedForward(const torch::Tensor &hidden, const LayerWeights &layer, Dropout *dropout = nullptr) const;
    torch::Tensor splitHeads(const torch::Tensor &projected, std::int64_t heads, std::int64_t headWidth) const;

    /// Everything that decides one attention's context besides q, k, v: which it is, its gate, where its rows are, and
    /// who listens.
    struct AttentionCall
    {
        HeadKind kind = HeadKind::Encoder;
        int layer = 0;
        const HeadGates &gates;
        Recorder *recorder = nullptr;
        torch::Tensor positions; ///< [B, T]; undefined = 0 … T−1
    };
    torch::Tensor attend(const torch::Tensor &query, const KeyValue &memory, const torch::Tensor &bias,
                         const AttentionCall &call) const;
    /// Norm, attention over `memory`, residual: the sub-layer around attend.
    template<typename MakeContext>
    torch::Tensor attentionSublayer(const torch::Tensor &hidden, const AttentionWeights &weights, Dropout *dropout,
                                    MakeContext &&makeContext) const;
    KeyValue project(const torch::Tensor &input, const AttentionWeights &weights, std::int64_t headWidth) const;
    torch::Tensor encoderContext(const EncoderState &state, const HeadGates &gates, std::int64_t queries) const;
    torch::Tensor closeEncoderLayer(const torch::Tensor &hidden, const torch::Tensor &output,
                                    const LayerWeights &layer) const;

    TransformerSpec m_spec;
    TransformerWeights m_weights;
    HeadLayout m_layout;
    torch::Tensor m_sinusoids; ///< [maxPositions, D]
};

} // namespace headscope
