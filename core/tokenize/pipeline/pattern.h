#pragma once

#include "core/base/result.h"
#include "core/tokenize/pipeline/alignedtext.h"
#include "core/tokenize/pipeline/part.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::pipeline {

/// The expression by which GPT-2 splits texts into words.
inline constexpr const char *kGpt2Words
    = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Finds places in texts. Regular expressions are Oniguruma's (Ruby's syntax, UTF-8), as in Hugging Face's tokenizers.
class Pattern
{
public:
    /// A stretch of text that matches, or what lies between two of them. A match can be empty.
    struct Stretch
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool isMatch = false;
    };
    /// Bytes that match at a place, 0 for none.
    using Scanner = std::function<std::size_t(std::string_view text, std::size_t at)>;

    explicit Pattern(Scanner scanner);
    /// Error: Oniguruma cannot read the expression.
    static Result<Pattern> ofRegex(const std::string &expression);
    /// Every single character of the kind.
    static Pattern ofChars(std::function<bool(char32_t)> isOne);
    /// {"String": …} or {"Regex": …}. Throws Failure.
    static Pattern fromJson(const Part &part, const char *key);

    /// Covers the text from front to end. An empty match is none right after another match. Throws Failure where a
    /// regular expression takes more than ten million steps or 16 million states to come back to.
    std::vector<Stretch> find(std::string_view text) const;

private:
    using Span = std::pair<std::size_t, std::size_t>;
    /// The first match at a byte or behind it.
    using Search = std::function<std::optional<Span>(std::string_view text, std::size_t from)>;

    explicit Pattern(Search search) : m_search(std::move(search)) { }

    Search m_search;
};

/// The fate of the matches when a text is split at them.
enum class Delimiter { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// The parts of a text; empty ones are left out.
std::vector<AlignedText> split(const AlignedText &text, const Pattern &pattern, Delimiter delimiter,
                               bool invert = false);

} // namespace headscope::pipeline
