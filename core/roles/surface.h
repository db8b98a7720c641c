#pragma once

#include "core/results/similarityresult.h"
#include "core/roles/headcounts.h"
#include "core/roles/templates.h"
#include "core/tokenize/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The class of a token in surface statistics.
enum class TokenPart : std::uint8_t {
    Word,
    First,     ///< the special token that starts the text: [CLS], <s>, the decoder's start
    Delimiter, ///< every other special token without text: [SEP], </s>
    Punctuation,
};

/// Whether a piece is of punctuation only; marks of a blank or a continued word ("▁", "Ġ", "##") are ignored.
/// `asClark`: only "." and ",".
bool isPunctuationPiece(const std::string &piece, bool asClark);
/// The classes of the tokens `ids`, of which `real` are no special ones. `tokenizer` may be null: then nothing is
/// punctuation.
std::vector<TokenPart> tokenParts(const std::vector<std::int64_t> &ids, const std::vector<std::uint8_t> &real,
                                  const Tokenizer *tokenizer, bool asClark);

/// Attention of one kind over one example, as surface statistics see it: the same for all heads.
struct SurfaceTemplate
{
    std::vector<TokenPart> queries; ///< [T]
    std::vector<TokenPart> keys;    ///< [S]
    bool causal = false;
    bool square = true; ///< queries and keys are the same tokens

    static SurfaceTemplate of(const AttentionTokens &tokens, const Tokenizer *tokenizer, bool asClark);
    std::int64_t visibleKeys(std::int64_t query) const
    {
        return causal ? std::min<std::int64_t>(query + 1, std::ssize(keys)) : std::ssize(keys);
    }
};

/// Surface statistics of one head over as many examples as are added (Clark et al. 2019, section 3).
class SurfaceSums
{
public:
    explicit SurfaceSums(SurfaceAverage average) : m_average(average) { }

    void add(const HeadAttention &attention, const SurfaceTemplate &example);
    void add(const SurfaceSums &other);
    HeadSurface surface(const HeadRef &head) const;

private:
    enum Place { Self, Previous, Next, First, Delimiter, DelimiterToDelimiter, OtherToDelimiter, Punctuation, kPlaces };
    using Means = std::array<RunningMean, kPlaces>;

    static void addRow(std::int64_t query, const float *row, const SurfaceTemplate &example, Means &means);
    void addMeans(const Means &means, std::int64_t queries);

    SurfaceAverage m_average;
    Means m_means{};
    RunningMean m_entropy;
    RunningMean m_normalizedEntropy; ///< by ln n, of queries with several keys
    RunningMean m_firstEntropy;
    std::int64_t m_queries = 0;
};

} // namespace headscope
