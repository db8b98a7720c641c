#include "core/base/shellwords.h"

#include "core/base/result.h"

#include <cstddef>
#include <utility>

namespace headscope {

namespace {

/// Characters that a backslash takes the meaning of within double quotation marks.
constexpr std::string_view kEscapedInQuotes = "\"\\$`";

} // namespace

std::vector<std::string> shellWords(std::string_view text, const char *option)
{
    std::vector<std::string> words;
    std::string word;
    bool inWord = false;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool hasNext = i + 1 < text.size();
        if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            if (inWord)
                words.push_back(std::exchange(word, {}));
            inWord = false;
            continue;
        }
        inWord = true;
        if (c == quote && quote != 0)
            quote = 0;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && hasNext
                 && (quote == 0 || (quote == '"' && kEscapedInQuotes.find(text[i + 1]) != std::string_view::npos)))
            word += text[++i];
        else
            word += c;
    }
    if (quote != 0)
        throw Failure(usageError(std::string(option) + ": a quotation mark (" + quote + ") is not closed."));
    if (inWord)
        words.push_back(std::move(word));
    return words;
}

std::string shellQuoted(std::string_view word)
{
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

} // namespace headscope
