#pragma once

#include "core/base/jobcontrol.h"

#include <chrono>
#include <mutex>

namespace headscope::cli {

/// Shows progress on standard error with count, rate and time left: one line that is rewritten on a terminal,
/// otherwise a line now and then.
class ProgressLine
{
public:
    explicit ProgressLine(bool enabled);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    /// May be called from any thread.
    void show(const Progress &progress);
    /// Makes room for other text on the terminal.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    void begin(const Progress &progress, Clock::time_point now);

    std::mutex m_mutex;
    bool m_enabled;
    bool m_terminal;
    bool m_lineShown = false;
    std::string m_phase;
    std::int64_t m_firstDone = 0;
    std::int64_t m_lastDone = -1;
    Clock::time_point m_start;
    Clock::time_point m_shown;
};

/// "ablating heads: 120/960 examples, 35.2/s, 0:24 left". `sinceStart` counts done since `seconds` ago.
std::string progressText(const Progress &progress, std::int64_t sinceStart, double seconds);

} // namespace headscope::cli
