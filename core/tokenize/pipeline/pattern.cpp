#include "core/tokenize/pipeline/pattern.h"

#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <oniguruma.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

/// Limits that no honest expression meets, for those that would stop the program or take all memory.
void initializeOniguruma()
{
    static const bool done = [] {
        constexpr unsigned int kMostSteps = 10'000'000;
        constexpr unsigned int kMostStates = 1U << 24;
        OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
        onig_initialize(encodings, 1);
        onig_set_retry_limit_in_match(kMostSteps);
        onig_set_retry_limit_in_search(kMostSteps);
        onig_set_subexp_call_limit_in_search(kMostSteps);
        onig_set_match_stack_limit_size(kMostStates);
        return true;
    }();
    (void)done;
}

std::string onigurumaMessage(int code, OnigErrorInfo *info)
{
    OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
    const int size = onig_error_code_to_str(text, code, info);
    return std::string(text, text + std::max(size, 0));
}

const OnigUChar *bytesOf(std::string_view text)
{
    return reinterpret_cast<const OnigUChar *>(text.data());
}

struct FreeRegion
{
    void operator()(OnigRegion *region) const { onig_region_free(region, 1); }
};

/// The first match of an expression at `from` or behind it.
std::optional<std::pair<std::size_t, std::size_t>> searchRegex(regex_t *regex, std::string_view text, std::size_t from)
{
    thread_local const std::unique_ptr<OnigRegion, FreeRegion> region(onig_region_new());
    const OnigUChar *begin = bytesOf(text);
    const OnigUChar *end = begin + text.size();
    const int at = onig_search(regex, begin, end, begin + from, end, region.get(), ONIG_OPTION_NONE);
    if (at == ONIG_MISMATCH)
        return std::nullopt;
    if (at < 0)
        throw Failure(badInput(fmt::format("the tokenizer's regular expression takes too much on this text ({}); give "
                                           "the data as JSON lines with input_ids instead",
                                           onigurumaMessage(at, nullptr))));
    return std::pair{static_cast<std::size_t>(region->beg[0]), static_cast<std::size_t>(region->end[0])};
}

} // namespace

Pattern::Pattern(Scanner scanner)
    : m_search([scanner = std::move(scanner)](std::string_view text, std::size_t from) -> std::optional<Span> {
          for (std::size_t at = from; at < text.size(); at += charAt(text, at).size) {
              if (const std::size_t size = scanner(text, at); size > 0)
                  return Span{at, at + size};
          }
          return std::nullopt;
      })
{
}

Result<Pattern> Pattern::ofRegex(const std::string &expression)
{
    initializeOniguruma();
    const auto error = [&](const std::string &reason) {
        return badInput(fmt::format("the regular expression {} cannot be read: {}; give the data as JSON lines with "
                                    "input_ids instead",
                                    expression.substr(0, 200), reason));
    };
    if (firstInvalidUtf8(expression))
        return error("it is not UTF-8");
    OnigRegex regex = nullptr;
    OnigErrorInfo info{};
    const OnigUChar *begin = bytesOf(expression);
    const int code = onig_new(&regex, begin, begin + expression.size(), ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                              ONIG_SYNTAX_RUBY, &info);
    if (code != ONIG_NORMAL)
        return error(onigurumaMessage(code, &info));
    const std::shared_ptr<regex_t> owned(regex, onig_free);
    return Pattern(
        Search([owned](std::string_view text, std::size_t from) { return searchRegex(owned.get(), text, from); }));
}

Pattern Pattern::ofChars(std::function<bool(char32_t)> isOne)
{
    return Pattern(Scanner([isOne = std::move(isOne)](std::string_view text, std::size_t at) {
        const Char next = charAt(text, at);
        return isOne(next.code) ? next.size : 0;
    }));
}

Pattern Pattern::fromJson(const Part &part, const char *key)
{
    const Part pattern = part.inner(key);
    if (pattern.has("String")) {
        const std::string literal = pattern.text("String");
        if (literal.empty())
            pattern.fail("an empty text matches nothing");
        return Pattern(Search([literal](std::string_view text, std::size_t from) -> std::optional<Span> {
            const std::size_t at = text.find(literal, from);
            return at == text.npos ? std::nullopt : std::optional(Span{at, at + literal.size()});
        }));
    }
    Result<Pattern> regex = ofRegex(pattern.text("Regex"));
    if (!regex.isOk())
        pattern.fail(regex.error().message);
    return std::move(regex).value();
}

std::vector<Stretch> Pattern::find(std::string_view text) const
{
    std::vector<Stretch> found;
    std::size_t done = 0;
    for (std::size_t from = 0; from <= text.size();) {
        const std::optional<Span> match = m_search(text, from);
        if (!match)
            break;
        const auto [begin, end] = *match;
        if (begin == end && !found.empty() && begin == done) {
            if (begin == text.size())
                break;
            from = begin + charAt(text, begin).size;
            continue;
        }
        if (done < begin)
            found.push_back({done, begin, false});
        found.push_back({begin, end, true});
        done = from = end;
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
    for (const Stretch &stretch : arrange(std::move(found), delimiter)) {
        if (stretch.begin < stretch.end)
            parts.push_back(text.slice(stretch.begin, stretch.end));
    }
    return parts;
}

} // namespace headscope::pipeline
