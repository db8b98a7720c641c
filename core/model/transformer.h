#pragma once

#include "core/model/dropout.h"
#include "core/model/gates.h"
#include "core/model/spec.h"
#include "core/model/walk.h"
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
torch::Tensor validPositions(const std::vector<std::int64_t> &lengths, std::int64_t width, const torch::Device &device);

/// Records tensors at named places of a forward pass, such as "encoder.2.self.context".
struct Recorder
{
    bool probabilities = false; ///< "….probabilities" [B, H, T, S], rows sum to 1
    bool contexts = false;      ///< "….context" [B, H, T, Dh], before the gate
    bool inputs = false;        ///< "….input" and, of attention, "….read" [B, T, D]: what it adds to, what it reads
    bool values = false;        ///< "….value" [B, H, S, Dh], value vectors of the keys, for every head
    /// "….query" [B, H, T, Dh], scaled, "….key" [B, H, S, Dh], for every head, "….bias", which broadcasts to
    /// [B, H, T, S], undefined: none, and "….scores", product and bias. What a cap takes away is part of the bias.
    bool scores = false;
    bool differentiable
        = false; ///< in grad mode gradients flow into all probabilities, whether or not weights have any
    std::map<std::string, torch::Tensor> tensors;

    static std::string place(HeadKind kind, int layer, const char *what);
    const torch::Tensor &at(HeadKind kind, int layer, const char *what) const
    {
        return tensors.at(place(kind, layer, what));
    }
};

/// Keys and values of one attention, [B, Hk, T, Dh]. Undefined where a layer has no heads.
struct KeyValue
{
    torch::Tensor key;
    torch::Tensor value;

    KeyValue selectRows(const torch::Tensor &rows) const;
};

/// Encoder output as the decoder sees it.
struct Memory
{
    torch::Tensor hidden;  ///< [N, S, D]
    torch::Tensor keyBias; ///< [N, 1, 1, S], 0 on valid keys, the lowest number on padding

    Memory selectRows(const torch::Tensor &rows) const;
};

/// Keys and values of the memory, by the place of their cross-attention in the decoder.
struct CrossKeys
{
    std::vector<KeyValue> keys;
    torch::Tensor bias; ///< [N, 1, 1, S]

    void select(const torch::Tensor &rows);
};

/// The state of a stack over whole sequences between two sub-layers: all that is needed to continue with any gates.
struct StackState : WalkState<torch::Tensor>
{
    Side side = Side::Encoder;
    /// The mask that attention of the stack to itself adds to scores: [B, 1, 1, T] on padding, [1, 1, T, T] of a causal
    /// stack.
    torch::Tensor scoreBias;
    Dropout *dropout = nullptr; ///< in training only
};

/// The state of decoding token by token: rows may have different lengths, and several rows (beams) may share one
/// source sentence.
struct DecodeCache
{
    std::vector<KeyValue> self;        ///< by place, [B, Hk, capacity, Dh]; undefined: cross-attention, feed-forward
    CrossKeys cross;                   ///< [N, …]; nothing in a model without encoder
    std::vector<std::int64_t> lengths; ///< [B], positions filled
    std::int64_t beams = 1;            ///< B = N·beams

    std::int64_t rows() const { return static_cast<std::int64_t>(lengths.size()); }
    /// Keeps target rows `rows` and source sentences `sentences` (undefined = all).
    void select(const torch::Tensor &rows, const torch::Tensor &sentences);
};

/// The non-linearity of feed-forward layers, element by element.
torch::Tensor activate(const torch::Tensor &input, Activation activation);
/// Layer or RMS norm over the last dimension.
torch::Tensor normalize(const torch::Tensor &input, const Norm &norm, const NormSpec &spec);

/// c·tanh(x/c), or x where the cap c is 0.
torch::Tensor capped(const torch::Tensor &x, double cap);
/// The number that is added to the score of a key that must not be seen. Finite, as in Hugging Face: a row without any
/// visible key then gives a uniform distribution instead of NaN.
double hiddenScore(torch::ScalarType dtype);

/// The frame of a walk over padded batches.
struct WalkInputs
{
    const HeadGates &gates;
    const CrossKeys *cross = nullptr; ///< keys and values of the memory that the decoder reads; null: none
    Recorder *recorder = nullptr;
    std::vector<KeyValue> *ownKeys = nullptr; ///< gets keys and values of the stack's own attention, by place
};

/// The gated Transformer over padded batches by LibTorch: the plain executor of whatever a TransformerSpec describes,
/// on any device, which every fast path must equal. It runs sub-layer by sub-layer over explicit states, so that a
/// caller can stop anywhere and continue from there with many variants. Immutable and safe to use from several threads.
/// Gradients flow if grad mode is on.
///
/// Letters: B rows, N sentences, S source positions, T target positions, H heads, Hk key–value heads, Dh head width,
/// D width, V vocabulary.
class Transformer
{
public:
    Transformer(TransformerSpec spec, TransformerWeights weights);

    const TransformerSpec &spec() const { return m_spec; }
    const HeadLayout &layout() const { return m_layout; }
    torch::Device device() const { return options().device(); }
    torch::ScalarType dtype() const { return c10::typeMetaToScalarType(options().dtype()); }
    torch::TensorOptions options() const { return m_weights.options; }
    const TransformerWeights &weights() const { return m_weights; }

    /// Input of a stack's first sub-layer for tokens […] at positions that broadcast to them: […, D]. `recorded` gets
    /// the sum of the embeddings before their norm.
    torch::Tensor embed(Side side, const torch::Tensor &ids, const torch::Tensor &positions,
                        const torch::Tensor &typeIds = {}, torch::Tensor *recorded = nullptr) const;
    /// With `dropout`, this state's layers drop as in training: embeddings and the output of every sub-layer.
    StackState begin(Side side, const TokenBatch &tokens, Dropout *dropout = nullptr) const;
    /// Runs sub-layers state.place … until − 1.
    void advance(StackState &state, int until, const WalkInputs &around) const;
    /// Runs the remaining sub-layers of the stack.
    void advanceToEnd(StackState &state, const WalkInputs &around) const;
    bool isAtEnd(const StackState &state) const { return state.place == m_spec.stack(state.side)->places(); }
    /// Hidden states after the last layer with the norm that may follow it, [..., D].
    torch::Tensor finish(Side side, const torch::Tensor &hidden) const;
    torch::Tensor finish(const StackState &state) const { return finish(state.side, state.hidden); }

    /// The whole encoder.
    Memory encode(const TokenBatch &source, const HeadGates &gates, Recorder *recorder = nullptr) const;
    Memory finishEncoder(const StackState &state) const { return {finish(state), state.scoreBias}; }
    CrossKeys crossKeys(const Memory &memory) const;
    /// Decoder output over whole prefixes [B, T, D] (teacher forcing). `memory`: nothing in a model without encoder.
    torch::Tensor decode(const TokenBatch &targetInput, const Memory *memory, const HeadGates &gates,
                         Recorder *recorder = nullptr) const;

    /// ‖W_O^h v‖ of value vectors [B, H, S, Dh] of one attention → [B, H, S] (Kobayashi et al. 2020, equation 5).
    torch::Tensor valueNorms(HeadKind kind, int layer, const torch::Tensor &values) const;
    const AttentionWeights &attention(HeadKind kind, int layer) const
    {
        return m_weights.stack(sideOf(kind)).at(m_spec.placeOf(kind, layer)).attention();
    }

    /// Output of the last stack [..., D] → input of the output matrix: scaled, or after the head of a masked-token
    /// model [..., E].
    torch::Tensor outputHidden(const torch::Tensor &hidden) const;
    /// Output of a decoder, or of an encoder that guesses masked tokens, [..., D] → logits [..., V], float32.
    torch::Tensor logits(const torch::Tensor &hidden) const;
    /// Output of the last stack [B, T, D] → that of the position which a classifier reads [B, D]: an encoder's first, a
    /// decoder's last of the `lengths` [B].
    torch::Tensor classifiedPosition(const torch::Tensor &hidden, const std::vector<std::int64_t> &lengths) const;
    /// Output of the last stack at that position [B, D] → what the classifier's last layer reads [B, D].
    torch::Tensor classifierInput(const torch::Tensor &read) const;
    /// The same → logits [B, K], float32. Precondition: spec().classifier.
    torch::Tensor classify(const torch::Tensor &read) const;

    /// A cache for `rows` sequences, `beams` for each sentence of `memory` (nothing in a model without encoder).
    DecodeCache beginDecoding(const Memory *memory, std::int64_t sentences, std::int64_t beams) const;
    /// One step: tokens [B] at positions cache.lengths → logits [B, V]; the cache grows by one position.
    /// Gates with rows have one per sentence (N).
    torch::Tensor decodeStep(DecodeCache &cache, const torch::Tensor &tokens, const HeadGates &gates,
                             Recorder *recorder = nullptr) const;

private:
    TransformerSpec m_spec;
    TransformerWeights m_weights;
    HeadLayout m_layout;
    torch::Tensor m_positions; ///< computed table, [rows, E]
};

/// Numbers in the weights that hidden states are multiplied by.
std::int64_t productWeights(const Transformer &model);

} // namespace headscope
