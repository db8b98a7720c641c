#include "app/cli/progressline.h"

#include "app/cli/progresstext.h"
#include "core/base/phase.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace headscope::cli {

namespace {

constexpr auto kTerminalPeriod = std::chrono::milliseconds(100);
constexpr auto kLogPeriod = std::chrono::seconds(5);
constexpr auto kJsonPeriod = std::chrono::milliseconds(200);
constexpr auto kRatePeriod = std::chrono::seconds(10);

} // namespace

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
