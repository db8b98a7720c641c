#include "core/data/wordvectors.h"

#include "core/base/parsednumber.h"
#include "core/formats/textlines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kWidest = 100'000; ///< no vectors are wider: what a line without an end would be

std::string inSmallLetters(std::string_view word)
{
    std::string small(word);
    std::ranges::transform(small, small.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return small;
}

std::optional<float> finiteNumber(std::string_view text)
{
    const auto number = parsedNumber<float>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

/// The parts between blanks.
std::vector<std::string_view> fieldsOf(std::string_view line)
{
    std::vector<std::string_view> fields;
    for (std::size_t start = 0; start < line.size() && fields.size() <= kWidest;) {
        const std::size_t end = std::min(line.find(' ', start), line.size());
        if (end > start)
            fields.push_back(line.substr(start, end - start));
        start = end + 1;
    }
    return fields;
}

bool isHeading(const std::vector<std::string_view> &fields)
{
    return fields.size() == 2 && std::ranges::all_of(fields, [](std::string_view field) {
               return std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; });
           });
}

} // namespace

const std::vector<float> *WordVectors::find(std::string_view word) const
{
    auto found = vectors.find(std::string(word));
    if (found == vectors.end())
        found = vectors.find(inSmallLetters(word));
    return found == vectors.end() ? nullptr : &found->second;
}

Result<WordVectors> readWordVectors(const std::filesystem::path &file, const std::set<std::string> &wanted,
                                    const JobControl &control)
{
    auto read = readText(file, control);
    if (!read.isOk())
        return read.error();
    std::set<std::string, std::less<>> words(wanted.begin(), wanted.end());
    for (const std::string &word : wanted)
        words.insert(inSmallLetters(word));
    WordVectors result;
    const std::string_view text = read.value();
    const auto wrong = [&](std::int64_t line, const std::string &what) {
        return badInput(file.string() + ", line " + std::to_string(line) + ": " + what
                        + " Word vectors are lines of a word and its numbers, separated by blanks (GloVe's text "
                          "format).");
    };
    std::int64_t line = 0;
    for (std::size_t start = 0; start < text.size();) {
        if (++line % 4096 == 0)
            control.checkpoint();
        const std::size_t end = std::min(text.find('\n', start), text.size());
        std::string_view own = text.substr(start, end - start);
        start = end + 1;
        if (own.ends_with('\r'))
            own.remove_suffix(1);
        const std::vector<std::string_view> fields = fieldsOf(own);
        if (fields.empty() || (line == 1 && isHeading(fields)))
            continue;
        if (result.width == 0) {
            if (fields.size() < 2 || fields.size() > kWidest)
                return wrong(line, "there is no vector of 1 to " + std::to_string(kWidest - 1) + " numbers.");
            result.width = std::ssize(fields) - 1;
        }
        if (std::ssize(fields) <= result.width)
            return wrong(line, "it has " + std::to_string(std::ssize(fields) - 1) + " numbers, the first has "
                                   + std::to_string(result.width) + ".");
        const std::size_t first = fields.size() - static_cast<std::size_t>(result.width);
        const std::string_view word(
            fields.front().data(),
            static_cast<std::size_t>(fields[first - 1].data() + fields[first - 1].size() - fields.front().data()));
        std::vector<float> vector;
        for (std::size_t i = first; i < fields.size(); ++i) {
            const auto number = finiteNumber(fields[i]);
            if (!number)
                return wrong(line, "\"" + std::string(fields[i].substr(0, 40)) + "\" is no finite number.");
            vector.push_back(*number);
        }
        if (words.contains(word))
            result.vectors.try_emplace(std::string(word), std::move(vector));
    }
    if (result.width == 0)
        return badInput(file.string() + " has no word vectors.");
    return result;
}

} // namespace headscope
