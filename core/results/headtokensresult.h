#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Tokens at both ends of the weights of heads (Elhage et al. 2021, Millidge and Black 2022).
namespace headscope {

/// Which tokens: those that an encoder reads, or those that a decoder reads and says.
enum class TokenSide { Encoder, Decoder };
template<>
struct EnumNames<TokenSide>
{
    static constexpr std::array<std::string_view, 2> values{"encoder", "decoder"};
    static constexpr const char *what = "side of tokens";
};

struct NamedToken
{
    TokenSide side = TokenSide::Decoder;
    std::int64_t id = 0;
    std::string text{}; ///< its id where the model has no tokenizer
};

/// A token and its product with a direction, less the mean of all tokens.
struct RankedToken
{
    std::int64_t id = 0;
    std::string text{};
    double value = 0;
};

/// The tokens at both ends of a direction, the furthest first; none: the direction is no token's.
struct TokenExtremes
{
    std::vector<RankedToken> highest{}, lowest{};
};

/// The effect of one token.
struct TokenEffect
{
    std::int64_t id = 0;
    TokenExtremes tokens{};
    std::optional<std::int64_t> rank{}; ///< of the token itself, 1: the highest of all; none: it is not among them
};

/// A singular direction of a map, with the tokens that it reads and writes, or the queries and keys that it matches.
struct DirectionTokens
{
    double value = 0; ///< singular
    TokenExtremes from{}, to{};
};

struct HeadTokens
{
    HeadRef head;
    std::vector<TokenEffect> writes{};  ///< by source token
    std::vector<TokenEffect> matches{}; ///< keys, by query token
    std::vector<DirectionTokens> ov{}, qk{};
};

struct HeadTokensResult
{
    static constexpr const char *kKind = "tokens";
    Manifest manifest;
    bool rotary = false;              ///< queries and keys are turned by their positions: QK is of distance 0
    std::vector<NamedToken> tokens{}; ///< that were asked for
    std::vector<HeadTokens> heads{};
    std::int64_t examples = 0; ///< none: there are no data
};

void describe(auto &visit, Of<NamedToken> auto &token)
{
    visit.field("side", token.side, "whose table it is read from");
    visit.field("id", token.id, "in that table");
    visit.field("text", token.text, "as it is shown; the id where there is no tokenizer");
}

void describe(auto &visit, Of<RankedToken> auto &token)
{
    visit.field("id", token.id, "row of the table of tokens");
    visit.field("text", token.text, "as it is shown; the id where there is no tokenizer");
    visit.field("value", token.value, "product with the direction, less the mean over all tokens");
}

void describe(auto &visit, Of<TokenExtremes> auto &tokens)
{
    visit.rare("highest", tokens.highest, "those with the largest values, from above the mean on");
    visit.rare("lowest", tokens.lowest, "those with the smallest values, below the mean");
}

void describe(auto &visit, Of<TokenEffect> auto &effect)
{
    visit.field("id", effect.id, "the source token, or the query's");
    visit.merge(effect.tokens);
    visit.rare("rank", effect.rank, "of the token itself among all, 1: the highest; left out where it is not one");
}

void describe(auto &visit, Of<DirectionTokens> auto &direction)
{
    visit.field("singular_value", direction.value, "of the map");
    visit.field("from", direction.from, "tokens that it reads; of QK queries");
    visit.field("to", direction.to, "tokens that it writes; of QK keys");
}

void describe(auto &visit, Of<HeadTokens> auto &head)
{
    visit.field("head", head.head, "address");
    visit.rare("writes", head.writes,
               "for every token that its values read: the logits that it raises and lowers, by W_U W_O W_V");
    visit.rare("matches", head.matches, "for every token that its queries read: scores of keys, by W_Q^T W_K");
    visit.rare("ov", head.ov, "the largest singular directions of W_O W_V, with tokens at both ends");
    visit.rare("qk", head.qk, "of W_Q^T W_K");
}

void describe(auto &visit, Of<HeadTokensResult> auto &result)
{
    visit.field("rotary", result.rotary, "positions turn queries and keys: QK is that of distance 0");
    visit.rare("tokens", result.tokens, "that were asked for");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
