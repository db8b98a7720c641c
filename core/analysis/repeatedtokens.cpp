#include "core/analysis/repeatedtokens.h"

#include "core/base/random.h"
#include "core/base/result.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {
namespace {

/// Tokens that a tokenizer puts around a text.
struct Surroundings
{
    std::vector<std::int64_t> before, after;
};

Surroundings surroundings(const Tokenizer *tokenizer, bool isEncoder)
{
    Surroundings found;
    if (!tokenizer)
        return found;
    const Encoding encoding = tokenizer->encodeSource("a").valueOrThrow();
    const auto isOfText = [](int word) { return word >= 0; };
    const auto begin = std::ranges::find_if(encoding.words, isOfText) - encoding.words.begin();
    found.before.assign(encoding.ids.begin(), encoding.ids.begin() + begin);
    if (!isEncoder) // a decoder goes on
        return found;
    const auto end = std::find_if(encoding.words.rbegin(), encoding.words.rend(), isOfText).base();
    found.after.assign(encoding.ids.begin() + std::max(begin, end - encoding.words.begin()), encoding.ids.end());
    return found;
}

std::vector<std::int64_t> usualTokens(const StackSpec &stack, const Tokenizer *tokenizer)
{
    const std::int64_t entries
        = tokenizer ? std::min(stack.vocabulary, tokenizer->neededVocabulary()) : stack.vocabulary;
    std::vector<std::int64_t> tokens;
    for (std::int64_t id = 0; id < entries; ++id) {
        if (!tokenizer || (!tokenizer->isSpecial(id) && !tokenizer->pieceText(id).empty()))
            tokens.push_back(id);
    }
    return tokens;
}

} // namespace

RepeatedTokens repeatedTokens(const TransformerSpec &spec, const Tokenizer *tokenizer, std::int64_t length,
                              std::int64_t count, std::uint64_t seed)
{
    const Side side = spec.lastSide();
    const Surroundings around = surroundings(tokenizer, side == Side::Encoder);
    std::vector<std::int64_t> tokens = usualTokens(*spec.stack(side), tokenizer);
    const std::int64_t room = (spec.maxPositions - std::ssize(around.before) - std::ssize(around.after)) / 2;
    RepeatedTokens repeated{{}, std::ssize(around.before), std::min({length, room, std::ssize(tokens)})};
    if (repeated.length < 2)
        throw Failure(badInput("The model has no room for random tokens that are repeated: it takes "
                               + std::to_string(spec.maxPositions) + " positions and has "
                               + std::to_string(tokens.size()) + " tokens that are not special."));
    Random random(seed);
    for (std::int64_t s = 0; s < count; ++s) {
        std::vector<std::int64_t> ids = around.before;
        for (std::int64_t i = 0; i < repeated.length; ++i) {
            const auto left = static_cast<std::uint32_t>(std::ssize(tokens) - i);
            const auto at = static_cast<std::size_t>(i);
            std::swap(tokens[at], tokens[at + random.below(left)]);
        }
        for (int copy = 0; copy < 2; ++copy)
            std::copy_n(tokens.begin(), repeated.length, std::back_inserter(ids));
        ids.insert(ids.end(), around.after.begin(), around.after.end());
        repeated.sequences.push_back(std::move(ids));
    }
    return repeated;
}

} // namespace headscope
