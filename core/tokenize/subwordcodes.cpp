#include "core/tokenize/subwordcodes.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {

namespace {

constexpr std::string_view kEnd = "</w>";

std::vector<std::string> fieldsOf(std::string_view line)
{
    std::vector<std::string> fields;
    while (!line.empty()) {
        const std::size_t blank = std::min(line.find(' '), line.size());
        if (blank > 0)
            fields.emplace_back(line.substr(0, blank));
        line.remove_prefix(std::min(blank + 1, line.size()));
    }
    return fields;
}

bool isNumber(const std::string &text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<std::string> characters(std::string_view word)
{
    std::vector<std::string> result;
    for (const char byte : word) {
        const bool continues = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
        if (!continues || result.empty())
            result.emplace_back();
        result.back() += byte;
    }
    return result;
}

} // namespace

Result<SubwordCodes> SubwordCodes::open(const std::filesystem::path &file)
{
    const auto lines = readLines(file);
    if (!lines.isOk())
        return lines.error();
    SubwordCodes codes;
    bool versioned = false;
    bool counted = false;
    std::size_t number = 0;
    for (const std::string &line : lines.value()) {
        ++number;
        if (number == 1 && line.starts_with("#version:")) {
            versioned = true;
            codes.m_endApart = line.find("0.1") != std::string::npos;
            continue;
        }
        const std::vector<std::string> fields = fieldsOf(line);
        if (fields.empty() && number == lines.value().size())
            continue;
        const bool withCount = fields.size() == 3 && isNumber(fields[2]);
        if (fields.size() != 2 && !withCount)
            return badInput(fmt::format("{}, line {}: expected two pieces, as subword-nmt and fastBPE write them",
                                        file.string(), number));
        counted = counted || withCount;
        codes.m_ranks.emplace(std::pair(fields[0], fields[1]), codes.m_ranks.size());
    }
    if (codes.m_ranks.empty())
        return badInput(file.string() + " holds no codes of byte pair encoding");
    if (!versioned)
        codes.m_endApart = !counted; // fastBPE joins it, and the first version of subword-nmt does not say its number
    return codes;
}

std::vector<std::string> SubwordCodes::pieces(std::string_view word) const
{
    std::vector<std::string> parts = characters(word);
    if (parts.size() < 2)
        return parts;
    if (m_endApart)
        parts.emplace_back(kEnd);
    else
        parts.back() += kEnd;
    while (parts.size() > 1) {
        auto best = m_ranks.end();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto found = m_ranks.find({parts[i], parts[i + 1]});
            if (found != m_ranks.end() && (best == m_ranks.end() || found->second < best->second))
                best = found;
        }
        if (best == m_ranks.end())
            break;
        std::vector<std::string> merged;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool here
                = i + 1 < parts.size() && parts[i] == best->first.first && parts[i + 1] == best->first.second;
            merged.push_back(here ? parts[i] + parts[i + 1] : parts[i]);
            i += here ? 1 : 0;
        }
        parts = std::move(merged);
    }
    if (parts.back() == kEnd)
        parts.pop_back();
    else if (parts.back().ends_with(kEnd))
        parts.back().resize(parts.back().size() - kEnd.size());
    return parts;
}

} // namespace headscope
