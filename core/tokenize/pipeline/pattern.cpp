#include "core/tokenize/pipeline/pattern.h"

#include "core/tokenize/pipeline/regexscanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::pipeline {
namespace {

using Stretch = Pattern::Stretch;

/// A match joins the part before it, unless that one is a match too.
std::vector<Stretch> mergedWithPrevious(const std::vector<Stretch> &found)
{
    std::vector<Stretch> parts;
    bool afterMatch = false;
    for (const Stretch &stretch : found) {
        if (stretch.isMatch && !afterMatch && !parts.empty())
            parts.back().end = stretch.end;
        else
            parts.push_back(stretch);
        afterMatch = stretch.isMatch;
    }
    return parts;
}

std::vector<Stretch> mergedWithNext(const std::vector<Stretch> &found)
{
    std::vector<Stretch> parts;
    bool beforeMatch = false;
    for (auto stretch = found.rbegin(); stretch != found.rend(); ++stretch) {
        if (stretch->isMatch && !beforeMatch && !parts.empty())
            parts.back().begin = stretch->begin;
        else
            parts.push_back(*stretch);
        beforeMatch = stretch->isMatch;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<Stretch> contiguous(const std::vector<Stretch> &found)
{
    std::vector<Stretch> parts;
    for (const Stretch &stretch : found) {
        if (!parts.empty() && parts.back().isMatch == stretch.isMatch)
            parts.back().end = stretch.end;
        else
            parts.push_back(stretch);
    }
    return parts;
}

std::vector<Stretch> arrange(std::vector<Stretch> found, Delimiter delimiter)
{
    switch (delimiter) {
    case Delimiter::Removed:
        std::erase_if(found, [](const Stretch &stretch) { return stretch.isMatch; });
        return found;
    case Delimiter::MergedWithPrevious:
        return mergedWithPrevious(found);
    case Delimiter::MergedWithNext:
        return mergedWithNext(found);
    case Delimiter::Contiguous:
        return contiguous(found);
    case Delimiter::Isolated:
        break;
    }
    return found;
}

} // namespace

Pattern Pattern::ofChars(std::function<bool(char32_t)> isOne)
{
    return Pattern([isOne = std::move(isOne)](std::string_view text, std::size_t at) {
        const Char next = charAt(text, at);
        return isOne(next.code) ? next.size : 0;
    });
}

Pattern Pattern::fromJson(const Part &part, const char *key)
{
    const Part pattern = part.inner(key);
    if (pattern.has("String")) {
        const std::string literal = pattern.text("String");
        if (literal.empty())
            pattern.fail("an empty text matches nothing");
        return Pattern([literal](std::string_view text, std::size_t at) {
            return text.substr(at).starts_with(literal) ? literal.size() : 0;
        });
    }
    const std::string expression = pattern.text("Regex");
    if (auto scanner = regexScanner(expression))
        return Pattern(std::move(*scanner));
    pattern.fail(fmt::format("the regular expression {} is not supported yet; give the data as JSON lines with "
                             "input_ids instead",
                             expression.substr(0, 200)));
}

std::vector<Stretch> Pattern::find(std::string_view text) const
{
    std::vector<Stretch> found;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = m_scanner(text, at);
        if (size == 0) {
            at += charAt(text, at).size;
            continue;
        }
        if (done < at)
            found.push_back({done, at, false});
        found.push_back({at, at + size, true});
        at += size;
        done = at;
    }
    if (done < text.size())
        found.push_back({done, text.size(), false});
    return found;
}

std::vector<AlignedText> split(const AlignedText &text, const Pattern &pattern, Delimiter delimiter, bool invert)
{
    std::vector<Stretch> found = pattern.find(text.text());
    if (invert)
        for (Stretch &stretch : found)
            stretch.isMatch = !stretch.isMatch;
    std::vector<AlignedText> parts;
    for (const Stretch &stretch : arrange(std::move(found), delimiter))
        parts.push_back(text.slice(stretch.begin, stretch.end));
    return parts;
}

} // namespace headscope::pipeline
