#include "core/data/labelmap.h"

#include "core/base/parsednumber.h"
#include "core/data/columns.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace headscope {
namespace {

constexpr std::string_view kNameless = "label_";

std::vector<std::string_view> splitAt(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
        parts.push_back(trimmed(text.substr(0, at)));
        text.remove_prefix(at + 1);
    }
    parts.push_back(trimmed(text));
    return parts;
}

Error wrongMap(std::string what)
{
    return usageError("--label-map: " + std::move(what));
}

} // namespace

std::optional<std::int64_t> wholeNumberOf(std::string_view text)
{
    if (const std::size_t dot = text.find('.');
        dot != std::string_view::npos && dot > 0 && text.find_first_not_of('0', dot + 1) == std::string_view::npos)
        text = text.substr(0, dot);
    return parsedNumber<std::int64_t>(text);
}

ModelLabels::ModelLabels(const std::vector<std::string> &names) : m_names(names)
{
    m_areNumbers = std::any_of(names.begin(), names.end(), [](const auto &name) { return wholeNumberOf(name); });
}

std::optional<int> ModelLabels::find(std::string_view label) const
{
    const auto place = [this](const auto &isIt) -> std::optional<int> {
        const auto found = std::find_if(m_names.begin(), m_names.end(), isIt);
        return found == m_names.end() ? std::nullopt : std::optional(static_cast<int>(found - m_names.begin()));
    };
    if (const auto exact = place([&](const std::string &name) { return name == label; }))
        return exact;
    const std::string lower = lowerName(label);
    if (const auto similar = place([&](const std::string &name) { return lowerName(name) == lower; }))
        return similar;
    if (lower.starts_with(kNameless))
        return inRange(wholeNumberOf(std::string_view(lower).substr(kNameless.size())));
    return m_areNumbers ? std::nullopt : inRange(wholeNumberOf(label));
}

std::optional<int> ModelLabels::inRange(std::optional<std::int64_t> number) const
{
    const bool isPlace = number && *number >= 0 && *number < static_cast<std::int64_t>(m_names.size());
    return isPlace ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

bool ModelLabels::arePlaceholders() const
{
    return std::all_of(m_names.begin(), m_names.end(),
                       [](const std::string &name) { return lowerName(name).starts_with(kNameless); });
}

std::string ModelLabels::text() const
{
    return listed(m_names);
}

Result<std::vector<LabelMeaning>> parseLabelMap(std::string_view text, const ModelLabels &model)
{
    std::vector<LabelMeaning> meanings;
    std::set<std::string_view> seen;
    if (trimmed(text).empty())
        return meanings;
    for (const std::string_view part : splitAt(text, ',')) {
        // Labels like "a=b" are rarer than model labels like "=": the last one separates.
        const std::size_t equals = part.rfind('=');
        if (equals == std::string_view::npos)
            return wrongMap(fmt::format("\"{}\" has no \"=\"; write data label=model label", part));
        LabelMeaning meaning;
        const std::string_view label = trimmed(part.substr(0, equals));
        meaning.label = label;
        if (label.empty() || !seen.insert(label).second)
            return wrongMap(label.empty() ? fmt::format("\"{}\" names no label of the data", part)
                                          : fmt::format("\"{}\" is there twice", label));
        for (const std::string_view name : splitAt(part.substr(equals + 1), '+')) {
            const auto found = model.find(name);
            if (!found)
                return wrongMap(fmt::format("\"{}\" is none of the model's labels: {}", name, model.text()));
            meaning.modelLabels.push_back(*found);
        }
        std::sort(meaning.modelLabels.begin(), meaning.modelLabels.end());
        const auto last = std::unique(meaning.modelLabels.begin(), meaning.modelLabels.end());
        meaning.modelLabels.erase(last, meaning.modelLabels.end());
        meanings.push_back(std::move(meaning));
    }
    return meanings;
}

} // namespace headscope
