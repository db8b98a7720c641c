#include "app/cli/progressline.h"

#include "core/analysis/allphases.h"
#include "core/base/phase.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <system_error>
#include <utility>

namespace headscope::cli {

namespace {

constexpr auto kTerminalPeriod = std::chrono::milliseconds(100);
constexpr auto kLogPeriod = std::chrono::seconds(5);
constexpr auto kJsonPeriod = std::chrono::milliseconds(200);
constexpr auto kRatePeriod = std::chrono::seconds(10);

std::string durationText(double seconds)
{
    const auto total = static_cast<std::int64_t>(seconds + 0.5);
    if (total >= 3600)
        return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
    return fmt::format("{}:{:02}", total / 60, total % 60);
}

} // namespace

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

std::optional<Progress> progressFrom(std::string_view line)
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
    progress.phase = phaseNamed(line.substr(0, colon), allPhases());
    progress.unit = rest.substr(0, rest.find(','));
    return progress;
}

void writeJsonLine(const nlohmann::json &object)
{
    fmt::print(stderr, "{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    std::fflush(stderr);
}

ProgressLine::ProgressLine(bool enabled, ProgressForm form)
    : m_enabled(enabled), m_form(form), m_terminal(form == ProgressForm::Text && isatty(STDERR_FILENO) == 1)
{
}

void ProgressLine::begin(const Progress &progress, Clock::time_point now)
{
    m_phase = progress.phase;
    m_from = m_next = {progress.done, now};
    m_shown = m_terminal || m_form == ProgressForm::Json ? Clock::time_point() : now;
}

void ProgressLine::show(const Progress &progress)
{
    const std::scoped_lock lock(m_mutex);
    if (!m_enabled)
        return;
    const auto now = Clock::now();
    if (progress.phase != m_phase || progress.done < m_lastDone)
        begin(progress, now);
    m_lastDone = progress.done;
    const Clock::duration period = m_form == ProgressForm::Json ? kJsonPeriod
                                 : m_terminal                   ? Clock::duration(kTerminalPeriod)
                                                                : kLogPeriod;
    if (now - m_shown < period)
        return;
    m_shown = now;
    if (m_form == ProgressForm::Json)
        return writeJsonLine({{"progress",
                               {{"phase", progress.phase.id()},
                                {"unit", progress.unit},
                                {"done", progress.done},
                                {"total", progress.total}}}});
    if (now - m_next.time > kRatePeriod)
        m_from = std::exchange(m_next, {progress.done, now});
    const double seconds = std::chrono::duration<double>(now - m_from.time).count();
    const std::string text = progressText(progress, progress.done - m_from.done, seconds);
    fmt::print(stderr, "{}{}{}", m_terminal ? "\r" : "", text, m_terminal ? "\x1b[K" : "\n");
    std::fflush(stderr);
    m_lineShown = m_terminal;
}

void ProgressLine::clear()
{
    const std::scoped_lock lock(m_mutex);
    if (m_lineShown)
        fmt::print(stderr, "\r\x1b[K");
    m_lineShown = false;
}

} // namespace headscope::cli
