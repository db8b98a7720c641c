#pragma once

#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/trie.h"
#include "core/tokenize/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

/// A token that is recognised as a whole wherever it stands in a text.
struct AddedToken
{
    std::int64_t id = 0;
    std::string content;
    bool singleWord = false; ///< only where no word characters touch it
    bool stripLeft = false;  ///< white space before it belongs to it
    bool stripRight = false;
    bool isNormalized = false; ///< looked for in the normalised text
    bool isSpecial = false;
};

class AddedTokens
{
public:
    struct Found
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::int64_t id = -1; ///< -1: what lies between the tokens
    };

    AddedTokens() = default;
    /// The "added_tokens" of a tokenizer.json. A token that is a piece of the model too has that piece's id. Throws
    /// Failure.
    AddedTokens(const Part &tokenizer, const Vocabulary &pieces, const Normalizer *normalizer);

    /// Special tokens are cut into pieces like other text from now on (split_special_tokens).
    void ignoreSpecial() { m_ignoresSpecial = true; }
    /// Covers the text; with the tokens that belong into a raw or a normalised text.
    std::vector<Found> find(std::string_view text, bool isNormalized) const;
    /// nullptr when there is none.
    const AddedToken *token(std::int64_t id) const;
    const std::map<std::int64_t, AddedToken> &all() const { return m_tokens; }

private:
    /// Leaves a match alone (nullopt), or stretches it over white space; `done` is where the last one ended.
    std::optional<Found> accept(std::string_view text, Found match, std::size_t done) const;

    std::map<std::int64_t, AddedToken> m_tokens;
    Trie m_raw;
    Trie m_normalized;
    bool m_ignoresSpecial = false;
};

} // namespace headscope::pipeline
