#pragma once

#include "core/base/headref.h"
#include "core/base/problemtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A Transformer as data. A model family (families/) makes a TransformerSpec from config.json; transformer.cpp
/// computes whatever a spec can say.
namespace headscope {

enum class NormPlacement { Post, Pre };
enum class Activation { Relu, Gelu, GeluTanh, Silu, QuickGelu, Tanh };
enum class Positions {
    SinusoidalHalves, ///< computed, [sin | cos] halves, position 0 first (Marian)
    Learned,          ///< a table in the checkpoint, with positionOffset rows in front
    LearnedPastPadding, ///< likewise, but padding inside a row does not count: the row before the first stands for it
};

/// One stack of layers. Head widths stay what they were before pruning; layers may have fewer heads.
struct StackSpec
{
    std::vector<std::vector<int>> heads; ///< per layer: original numbers of the heads it has
    std::int64_t headWidth = 0;          ///< Dh
    std::int64_t feedForward = 0;        ///< F
    std::int64_t vocabulary = 0;         ///< V, rows of the embedding table
    bool cross = false;                  ///< has cross-attention
    std::vector<std::vector<int>> crossHeads;

    int layers() const { return static_cast<int>(heads.size()); }
};

/// Classification of a sequence by its first position: out(activation(dense(x₀))) (FORMATS 4).
struct ClassifierSpec
{
    std::vector<std::string> labels; ///< K names (id2label)
    ProblemType problem = ProblemType::SingleLabel;
    Activation activation = Activation::Tanh;
};

enum class EarlyStopping { Off, On, Never };

/// The model's own generation settings (FORMATS 5.1), in the terms of Hugging Face's generate.
struct GenerationSettings
{
    int beams = 1;
    double lengthPenalty = 1.0;
    std::int64_t maxLength = 20; ///< counts the start token
    std::int64_t minLength = 0;
    EarlyStopping earlyStopping = EarlyStopping::Off;
    std::int64_t noRepeatNgram = 0;
    double repetitionPenalty = 1.0;
    std::vector<std::vector<std::int64_t>> badWords;
    /// Taken out of the logits before the softmax, so that their probability goes to the others (Marian's padding).
    std::vector<std::int64_t> bannedLogits;
    std::vector<std::int64_t> endIds;
    std::int64_t padId = 0;
    std::int64_t startId = 0;
    std::optional<std::int64_t> forcedFirst;
    std::optional<std::int64_t> forcedLast;
    bool renormalize = false;
};

struct TransformerSpec
{
    std::string family; ///< model_type
    std::int64_t width = 0; ///< D
    std::int64_t embeddingWidth = 0; ///< E of the embedding tables; a projection follows where it is not D. 0 = D
    std::int64_t tokenTypes = 0;     ///< rows of the token type table; 0 = there is none
    NormPlacement norm = NormPlacement::Post;
    double normEpsilon = 1e-5;
    bool embeddingNorm = false;
    bool finalNorm = false;
    Activation activation = Activation::Relu;
    double embeddingScale = 1.0;
    Positions positions = Positions::SinusoidalHalves;
    std::int64_t positionOffset = 0;
    std::int64_t maxPositions = 0;
    bool outputBias = false;    ///< final_logits_bias
    bool sharedEmbedding = true; ///< one table for encoder and decoder
    bool tiedOutput = true;      ///< output matrix = decoder embedding
    StackSpec encoder;
    std::optional<StackSpec> decoder;
    std::optional<ClassifierSpec> classifier; ///< on top of an encoder without decoder
    GenerationSettings generation;            ///< of an encoder-decoder; an encoder has only the padding id

    std::int64_t embeddingSize() const { return embeddingWidth > 0 ? embeddingWidth : width; }
    HeadLayout layout() const;
};

} // namespace headscope
