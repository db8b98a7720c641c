#include "app/cli/progresstext.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace headscope::cli {

std::string durationText(double seconds)
{
    const auto total = static_cast<std::int64_t>(seconds + 0.5);
    if (total >= 3600)
        return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
    return fmt::format("{}:{:02}", total / 60, total % 60);
}

std::string progressText(const Progress &progress, std::int64_t recently, double seconds)
{
    std::string text = fmt::format("{}: {}", progress.phase.words(), progress.done);
    if (progress.total > 0)
        text += fmt::format("/{}", progress.total);
    text += " " + progress.unit;
    if (recently <= 0 || seconds <= 0)
        return text;
    const double rate = static_cast<double>(recently) / seconds;
    text += fmt::format(", {:.{}f}/s", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
    if (progress.total > progress.done)
        text += fmt::format(", {} left", durationText(static_cast<double>(progress.total - progress.done) / rate));
    return text;
}

std::optional<Progress> progressFrom(std::string_view line, std::span<const Phase> known)
{
    Progress progress;
    const std::size_t colon = line.rfind(": ");
    const char *end = line.data() + line.size();
    const auto done = std::from_chars(line.data() + std::min(line.size(), colon + 2), end, progress.done);
    if (colon == std::string_view::npos || done.ec != std::errc() || done.ptr == end || *done.ptr != '/')
        return std::nullopt;
    const auto total = std::from_chars(done.ptr + 1, end, progress.total);
    if (total.ec != std::errc() || total.ptr == end || *total.ptr != ' ')
        return std::nullopt;
    const std::string_view rest(total.ptr + 1, static_cast<std::size_t>(end - total.ptr - 1));
    progress.phase = phaseNamed(line.substr(0, colon), known);
    progress.unit = rest.substr(0, rest.find(','));
    return progress;
}

} // namespace headscope::cli
