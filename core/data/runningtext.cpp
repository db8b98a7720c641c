#include "core/data/readers.h"

#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

std::vector<Example> eachLine(std::vector<std::string> lines)
{
    std::vector<Example> texts;
    for (std::string &line : lines) {
        if (trimmed(line).empty())
            continue;
        texts.emplace_back();
        texts.back().source = std::move(line);
    }
    return texts;
}

/// Line breaks within a text are part of it: models have tokens for them.
std::string joined(std::span<const std::string> lines)
{
    std::string text;
    for (const std::string &line : lines)
        text += (&line == lines.data() ? "" : "\n") + line;
    return text;
}

std::vector<Example> eachDocument(std::span<const std::string> lines)
{
    std::vector<Example> texts;
    const auto isBlank = [&](std::size_t i) { return trimmed(lines[i]).empty(); };
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t end = i;
        while (end < lines.size() && !isBlank(end))
            ++end;
        if (end > i) {
            texts.emplace_back();
            texts.back().source = joined(lines.subspan(i, end - i));
        }
        i = end + 1;
    }
    return texts;
}

std::vector<Example> wholeFile(std::span<const std::string> lines)
{
    std::vector<Example> texts(1);
    texts.front().source = joined(lines);
    return trimmed(texts.front().source).empty() ? std::vector<Example>() : texts;
}

} // namespace

std::vector<Example> textsOf(std::vector<std::string> lines, TextUnit unit)
{
    switch (unit) {
    case TextUnit::Line:
        return eachLine(std::move(lines));
    case TextUnit::Document:
        return eachDocument(lines);
    case TextUnit::File:
        break;
    }
    return wholeFile(lines);
}

std::vector<Example> readRunningText(const DataSource &source, const JobControl &control)
{
    auto texts = textsOf(readLines(source.text, control).valueOrThrow(), source.textUnit);
    if (texts.empty())
        throw Failure(badInput(source.text + " has no text in it"));
    return texts;
}

} // namespace headscope
