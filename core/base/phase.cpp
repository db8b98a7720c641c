#include "core/base/phase.h"

#include "core/base/phases.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

namespace {

/// The number of the detail whose place begins at `at`; 0: there is none.
std::size_t detailAt(std::string_view text, std::size_t at)
{
    const bool isPlace = at + 1 < text.size() && text[at] == '%' && text[at + 1] >= '1' && text[at + 1] <= '9';
    return isPlace ? static_cast<std::size_t>(text[at + 1] - '0') : 0;
}

/// The details of a text that was made from `pattern`; nothing: it was not.
std::optional<std::vector<std::string>> detailsIn(std::string_view text, std::string_view pattern)
{
    std::vector<std::string> details;
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t number = detailAt(pattern, at);
        if (number == 0) {
            if (text.empty() || text.front() != pattern[at])
                return std::nullopt;
            text.remove_prefix(1);
            ++at;
            continue;
        }
        at += 2;
        const std::size_t next = std::min(pattern.find('%', at), pattern.size());
        const std::string_view behind = pattern.substr(at, next - at); // up to the next place
        const std::size_t end = behind.empty() ? text.size() : text.find(behind);
        if (end == std::string_view::npos || end == 0)
            return std::nullopt;
        details.resize(std::max(details.size(), number));
        details[number - 1] = text.substr(0, end);
        text.remove_prefix(end);
    }
    return text.empty() ? std::optional(std::move(details)) : std::nullopt;
}

std::string withNote(std::string text, std::string_view note)
{
    if (!note.empty())
        text.append(" (").append(note).append(")");
    return text;
}

} // namespace

std::string withDetails(std::string_view text, const std::vector<std::string> &details)
{
    std::string whole;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t number = detailAt(text, at);
        if (number == 0) {
            whole += text[at];
            continue;
        }
        if (number <= details.size())
            whole += details[number - 1];
        ++at;
    }
    return whole;
}

std::string PhaseNow::id() const
{
    return withNote(withDetails(phase.id, details), note.id);
}

std::string PhaseNow::words() const
{
    return withNote(withDetails(phase.words, details), note.words);
}

PhaseNow phaseNamed(std::string_view id, std::span<const Phase> known)
{
    if (id.empty())
        return {};
    const std::string noted = withNote({}, kPhaseNotKept.id);
    const bool hasNote = id.size() > noted.size() && id.ends_with(noted);
    const std::string_view plain = hasNote ? id.substr(0, id.size() - noted.size()) : id;
    PhaseNow found(kPhaseOther, {std::string(plain)});
    if (const auto exact = std::ranges::find(known, plain, &Phase::id); exact != known.end()) {
        found = *exact;
    } else {
        for (const Phase &phase : known) {
            if (auto details = phase == kPhaseOther ? std::nullopt : detailsIn(plain, phase.id)) {
                found = {phase, std::move(*details)};
                break;
            }
        }
    }
    if (hasNote)
        found.note = kPhaseNotKept;
    return found;
}

} // namespace headscope
