#pragma once

#include "core/base/headref.h"
#include "core/base/problemtype.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// A Transformer as data. A model family (families/) makes a TransformerSpec from config.json; the walk (walk.h) and
/// its executors compute everything that a spec can describe. No executor ignores a field.
namespace headscope {

enum class NormKind {
    Layer, ///< Ba et al. 2016: mean and deviation, weight and bias
    Rms,   ///< Zhang and Sennrich 2019: root of the mean square, weight only
};
/// Where a sub-layer has its norms.
enum class NormPlacement {
    Post,   ///< of the sum (Vaswani et al. 2017)
    Pre,    ///< of what it reads (Xiong et al. 2020)
    Around, ///< of what it reads, and of what it adds (Gemma 2)
    Output, ///< of what it adds (OLMo 2)
};
constexpr bool normsSum(NormPlacement placement)
{
    return placement == NormPlacement::Post;
}
constexpr bool normsInput(NormPlacement placement)
{
    return placement == NormPlacement::Pre || placement == NormPlacement::Around;
}
constexpr bool normsOutput(NormPlacement placement)
{
    return placement == NormPlacement::Around || placement == NormPlacement::Output;
}
enum class Activation { Relu, Gelu, GeluTanh, Silu, QuickGelu, Tanh, ReluSquared };

struct NormSpec
{
    NormKind kind = NormKind::Layer;
    NormPlacement placement = NormPlacement::Post;
    double epsilon = 1e-5;
    bool weighted = true; ///< false: all weights are one, and no checkpoint has them
    bool biased = true;   ///< of layer norms; false: all biases are zero
};

/// Terms that are added to embeddings for their positions.
enum class PositionTable {
    None,
    Learned,           ///< in the checkpoint
    SinusoidalHalves,  ///< computed, [sin | cos] halves, divisors 10000^(2i/D) (Marian)
    SinusoidalFairseq, ///< computed, [sin | cos] halves, divisors exp(ln 10000 · i/(D/2 − 1)) in float32 (M2M-100)
};
struct PositionSpec
{
    PositionTable table = PositionTable::SinusoidalHalves;
    std::int64_t offset = 0;  ///< rows of the table before the first position's
    bool pastPadding = false; ///< padding inside a row does not count: it gets the row before the first
};

/// A learnt bias of every score by the bucket that the distance of key and query falls into (Raffel et al. 2020). One
/// table for all layers of a stack, with a column for every head there was before any pruning.
struct RelativeBuckets
{
    std::int64_t buckets = 32;
    std::int64_t furthest = 128; ///< distances from here on share the last bucket
    bool bothWays = true;        ///< half of the buckets for keys to the right
};

/// Queries and keys are turned by angles that grow with their position (Su et al. 2021): halves of what is turned are
/// the pairs, or neighbouring columns.
struct RotarySpec
{
    double base = 10000;
    std::int64_t width = 0; ///< so many of a head's first columns are turned; 0: all
    /// Angles of successive pairs from one position to the next; empty: base^(−2i/width) of pair i.
    std::vector<float> frequencies{};
    double stretch = 1;      ///< turned columns are so much longer
    bool neighbours = false; ///< pairs are columns 0 and 1, 2 and 3, … (GPT-J)

    bool operator==(const RotarySpec &) const = default;
};

/// Norms of queries and of keys between their projections and their positions.
struct HeadNorm
{
    bool together = false; ///< over all heads at once, else over each by itself
    double epsilon = 1e-6;
    NormKind kind = NormKind::Rms;
    bool biased = false;     ///< of layer norms
    bool ownWeights = false; ///< each head has weights of its own (Command R); not of norms over all heads

    NormSpec norm() const { return {kind, NormPlacement::Pre, epsilon, true, biased}; }
};

/// Disentangled attention (He et al. 2021): scores are also products of queries with keys of distances, and of keys
/// with queries of distances, which the layers' own projections make from one table of the stack [2·span, D]. The
/// distance of query and key, kept within ±span, chooses the row.
struct Disentangled
{
    std::int64_t span = 256;
    /// Distances beyond half of the span are spread logarithmically, so that those up to here differ; 0: they are not.
    std::int64_t furthest = 512;
    bool keysOfDistances = true;
    bool queriesOfDistances = true;
    bool shared = true; ///< made by the projections of tokens, else by projections of their own
    bool normed = true; ///< a layer norm of the table before them

    bool operator==(const Disentangled &) const = default;
};

struct AttentionSpec
{
    HeadKind kind = HeadKind::Encoder; ///< Cross reads the memory, the others their own stack
    std::vector<int> heads{};          ///< original numbers of its (query) heads, ascending
    std::int64_t allHeads = 0;         ///< how many there were before any pruning
    std::int64_t headWidth = 0;        ///< Dh
    std::int64_t headsPerKey = 1;      ///< so many heads in succession share a key–value head (Ainslie et al. 2023)
    bool causal = false;
    double scale = 1; ///< of the scores
    std::optional<RelativeBuckets> relative{};
    /// ALiBi (Press et al. 2022): scores of head h get slopes[h]·(key position − query position), h its original
    /// number; empty: nothing.
    std::vector<float> slopes{};
    /// Every head has a learnt score that takes part in the softmax as that of a key without a value: probabilities of
    /// keys sum to less than 1 (gpt-oss).
    bool sinks = false;
    std::optional<RotarySpec> rotary{};
    std::optional<std::int64_t> reach{}; ///< keys that are further away than so many positions are not seen
    double scoreCap = 0;                 ///< c: scores s become c·tanh(s/c), before anything is added; 0: they stay
    double clip = 0;                     ///< queries, keys and values are kept within ±clip; 0: they stay
    std::optional<HeadNorm> headNorm{};
    std::optional<Disentangled> disentangled{};
    /// D̃_k, where all heads share their query and key projections (collaborative attention, Cordonnier et al. 2020); 0:
    /// each has its own. Scores of head h are then scale · ((X W_Q) diag(m_h) (Y W_K)ᵀ + 1 (Y c_h)ᵀ): W_Q and W_K of
    /// D̃_k columns, a row m_h of the mixing matrix, and the content vector c_h [D], which stands for the head's query
    /// bias and is there where biases.query says so. There is no key bias, which would change no probability, and
    /// nothing rotary.
    std::int64_t sharedWidth = 0;
    struct Biases
    {
        bool query = true, key = true, value = true, out = true;
    } biases{};

    bool readsMemory() const { return kind == HeadKind::Cross; }
    std::int64_t headCount() const { return static_cast<std::int64_t>(heads.size()); }
    /// The place among `heads` of a head by its original number; headCount(): it has none.
    std::int64_t columnOf(int head) const;
    bool sharesProjections() const { return sharedWidth > 0; }
    std::int64_t width() const { return headCount() * headWidth; } ///< A, of contexts
    /// Original numbers of the key–value heads that its heads read, ascending.
    std::vector<int> keyHeads() const;
    std::int64_t valueWidth() const { return static_cast<std::int64_t>(keyHeads().size()) * headWidth; } ///< of values
    /// For every head the place of its key–value head in keyHeads().
    std::vector<std::int64_t> valuePlaces() const;

    /// Whether scores are sums of products of what queries and keys read, and of nothing else, and probabilities their
    /// softmax.
    bool isBilinear() const { return !rotary && !headNorm && !disentangled && clip == 0 && scoreCap == 0 && !sinks; }
    /// Whether scores get a number for the distance of key and query (positions.h).
    bool addsDistances() const { return relative.has_value() || !slopes.empty(); }

    // Factors of scores.
    /// Heads that queries and keys are projected for: those that are there; all of them, if their norm is over all.
    std::int64_t projectedQueries() const;
    std::int64_t projectedKeys() const;
    /// Dq, of a head's queries and keys: Dh; or D̃_k and, with content vectors, a column for every head's product with a
    /// key.
    std::int64_t scoreWidth() const;
    std::int64_t queryWidth() const { return headCount() * scoreWidth(); }
    std::int64_t keyCount() const; ///< Hk, keys that a position has: of every key–value head, or the one that all share
    std::int64_t keyWidth() const { return keyCount() * scoreWidth(); }
    std::int64_t keyValueWidth() const { return keyWidth() + valueWidth(); }
    /// For every head the place of its key among these.
    std::vector<std::int64_t> keyPlaces() const;
};

/// Feed-forward layers of which a router chooses some for every position (Shazeer et al. 2017): those with its largest
/// scores, whose outputs are added up with weights. An expert is a feed-forward layer as the spec that holds this says,
/// of its own width.
struct Experts
{
    std::int64_t count = 8;
    std::int64_t chosen = 2;
    std::int64_t width = 0; ///< F of each
    /// Weights are the softmax of the chosen experts' scores, else what the softmax of all gives these.
    bool normalized = true;
    bool biasedRouter = false;
    /// The layer that every position has beside its experts is weighted by a logistic function of what it reads.
    bool gatesShared = false;

    bool operator==(const Experts &) const = default;
};

struct FeedForwardSpec
{
    std::int64_t width = 0; ///< F; with experts that of a layer which every position has beside them, 0: there is none
    Activation activation = Activation::Relu;
    bool gated = false; ///< out(activation(gate(x)) ∘ in(x)) instead of out(activation(in(x))) (Shazeer 2020)
    bool biases = true;
    /// gate(x) is kept below it, in(x) within ±limit, and one is added to in(x) then (gpt-oss); 0: nothing of that.
    double limit = 0;
    std::optional<Experts> experts{};

    /// The most columns that a position has inside.
    std::int64_t widest() const { return experts && experts->width > width ? experts->width : width; }
    /// The sub-layer that every expert is.
    FeedForwardSpec expert() const { return {experts->width, activation, gated, biases, limit, {}}; }
};

/// A sub-layer of a stack, with its norm and its residual connection.
struct SubLayer
{
    int layer = 0;
    std::variant<AttentionSpec, FeedForwardSpec> part;
    bool normsInput = true;  ///< false: reads without the norm that the others have before them
    bool beside = false;     ///< a feed-forward layer that reads what the sub-layer before it read, not its sum
    bool sharesNorm = false; ///< its norm is that of the sub-layer before it

    const AttentionSpec *attention() const { return std::get_if<AttentionSpec>(&part); }
    const FeedForwardSpec *feedForward() const { return std::get_if<FeedForwardSpec>(&part); }
};

struct StackSpec
{
    std::int64_t vocabulary = 0; ///< V, rows of the embedding table
    std::vector<SubLayer> subLayers;

    int places() const { return static_cast<int>(subLayers.size()); }
    int layers() const { return subLayers.empty() ? 0 : subLayers.back().layer + 1; }
    const SubLayer &at(int place) const { return subLayers[static_cast<std::size_t>(place)]; }
    /// An attention with the table of relative positions that its layers share, if there is one.
    const AttentionSpec *relative() const;
    /// An attention with the table of distances that its layers share, if there is one.
    const AttentionSpec *disentangled() const;
};

/// Classification of a sequence by one position x of the last stack, an encoder's first (or the mean of all) or the
/// last that a decoder reads: out(activation(dense(x))), normed out(norm(activation(dense(x)))), or without
/// a dense layer out(x).
struct ClassifierSpec
{
    std::vector<std::string> labels; ///< K names (id2label)
    ProblemType problem = ProblemType::SingleLabel;
    Activation activation = Activation::Tanh;
    bool biased = true; ///< the dense layer
    bool normed = false;
    bool dense = true;
    bool outBiased = true;
    bool mean = false; ///< by the mean over all positions of an encoder, not by its first
    /// Tokens at the end of a text that a decoder without encoder does not classify by (pad_token_id).
    std::optional<std::int64_t> padding{};
};

/// Guessing of masked tokens from an encoder's output: table · norm(activation(dense(x))) + bias.
struct MaskedLmSpec
{
    Activation activation = Activation::Gelu;
    bool tied = true;   ///< the table is that of the embeddings
    bool biased = true; ///< the dense layer
};

enum class EarlyStopping { Off, On, Never };

/// The settings of one task in "task_specific_params" of a config.json; the others are those of all tasks.
struct TaskSettings
{
    std::string prefix; ///< stands before the source
    std::optional<int> beams;
    std::optional<double> lengthPenalty;
    std::optional<std::int64_t> maxLength;
    std::optional<std::int64_t> minLength;
    std::optional<std::int64_t> noRepeatNgram;
    std::optional<EarlyStopping> earlyStopping;
};

/// The model's own generation settings, in the terms of Hugging Face's generate.
struct GenerationSettings
{
    int beams = 1;
    double lengthPenalty = 1.0;
    std::int64_t maxLength = 21; ///< counts the start token
    std::int64_t minLength = 0;
    /// The largest and the smallest number of new tokens in models that go on with prompts. Without the largest the
    /// lengths above count, with the prompt.
    std::optional<std::int64_t> newTokens;
    std::int64_t fewestNewTokens = 0;
    /// Texts of which the first that is said ends an output, and is no part of it.
    std::vector<std::string> stopTexts;
    /// Whether these tokens, behind the prompt, say a text at which outputs end; empty: there is none.
    std::function<bool(std::span<const std::int64_t>)> isStopped;
    EarlyStopping earlyStopping = EarlyStopping::Off;
    std::int64_t noRepeatNgram = 0;
    double repetitionPenalty = 1.0;
    std::vector<std::vector<std::int64_t>> badWords;
    std::vector<std::int64_t> bannedFirst; ///< never the first token that is chosen
    /// Taken out of the logits before the softmax, so that their probability goes to the others (Marian's padding).
    std::vector<std::int64_t> bannedLogits;
    std::vector<std::int64_t> endIds;
    std::int64_t padId = 0;
    std::int64_t startId = 0;
    std::optional<std::int64_t> forcedFirst;
    std::optional<std::int64_t> forcedLast;
    bool renormalize = false;
    /// Settings of the folder that Headscope does not compute, so that nothing is generated.
    std::vector<std::string> refused;
    std::vector<std::string> notes;            ///< what somebody who generates should know
    std::map<std::string, TaskSettings> tasks; ///< by name; they count where a task is chosen (Decoding::task)
};

/// Encoder or decoder of a model.
enum class Side { Encoder, Decoder };
inline constexpr Side kBothSides[] = {Side::Encoder, Side::Decoder};
constexpr Side sideOf(HeadKind kind)
{
    return kind == HeadKind::Encoder ? Side::Encoder : Side::Decoder;
}
constexpr const char *sideName(Side side)
{
    return side == Side::Encoder ? "encoder" : "decoder";
}

struct TransformerSpec
{
    std::string family;              ///< model_type
    std::int64_t width = 0;          ///< D
    std::int64_t embeddingWidth = 0; ///< E of the embedding tables; a projection follows where it is not D. 0 = D
    /// The projection, without a bias, is of tokens alone, before positions of the width D are added; and a second one
    /// leads from the last layer's D back to E of the output matrix (OPT-350m).
    bool projectsTokens = false;
    std::int64_t tokenTypes = 0; ///< rows of the token type table; 0 = there is none
    NormSpec norm{};
    bool embeddingNorm = false;
    bool finalNorm = false;
    double embeddingScale = 1.0;
    double residualScale = 1.0; ///< of what every sub-layer adds (Granite)
    PositionSpec positions{};
    std::int64_t maxPositions = 0; ///< the longest sequence
    bool outputBias = false;       ///< final_logits_bias
    double outputScale = 1.0;      ///< of the decoder's output before the output matrix
    double logitCap = 0;           ///< c: logits x become c·tanh(x/c); 0: they stay
    bool sharedEmbedding = true;   ///< one table for encoder and decoder
    bool tiedOutput = true;        ///< output matrix = decoder embedding
    int sharedLayers = 1;          ///< so many layers in succession have one set of weights in the checkpoint
    std::optional<StackSpec> encoder;
    std::optional<StackSpec> decoder;         ///< without cross-attention where there is no encoder
    std::optional<ClassifierSpec> classifier; ///< on top of the last stack, instead of an output matrix
    std::optional<MaskedLmSpec> maskedLm;     ///< on top of an encoder without decoder
    GenerationSettings generation;            ///< of a decoder; an encoder has only the padding id

    std::int64_t embeddingSize() const { return embeddingWidth > 0 ? embeddingWidth : width; }
    /// Columns of a decoder's output matrix.
    std::int64_t outputSize() const { return projectsTokens ? embeddingSize() : width; }
    bool isEncoderDecoder() const { return encoder.has_value() && decoder.has_value(); }
    /// Whether a decoder says tokens, one after the other.
    bool saysTokens() const { return decoder && !classifier; }
    /// Whether texts of a second kind come out of texts of a first.
    bool translates() const { return isEncoderDecoder() && saysTokens(); }
    /// The stack whose output is the model's.
    Side lastSide() const { return decoder ? Side::Decoder : Side::Encoder; }
    const std::optional<StackSpec> &stack(Side side) const { return side == Side::Encoder ? encoder : decoder; }
    std::optional<StackSpec> &stack(Side side) { return side == Side::Encoder ? encoder : decoder; }
    /// Where in the stack of its side an attention is; −1: nowhere.
    int placeOf(HeadKind kind, int layer) const;
    /// Precondition: the model has it.
    const AttentionSpec &attention(HeadKind kind, int layer) const;
    AttentionSpec &attention(HeadKind kind, int layer);
    HeadLayout layout() const;
};

/// Heads 0 … count−1.
std::vector<int> headNumbers(std::int64_t count);

} // namespace headscope
