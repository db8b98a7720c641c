#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/phase.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>

namespace headscope::cli {

/// How what is not the result is written to standard error.
enum class ProgressForm {
    Text, ///< for people
    Json, ///< for programs: an object a line
};

/// Shows progress on standard error with count, rate and time left: one line that is rewritten on a terminal,
/// otherwise a line now and then. As JSON: {"progress": {"phase", "unit", "done", "total"}}.
class ProgressLine
{
public:
    explicit ProgressLine(bool enabled, ProgressForm form = ProgressForm::Text);
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
    ProgressForm m_form;
    bool m_terminal;
    bool m_lineShown = false;
    PhaseNow m_phase;
    // The rate is that of the last 10 to 20 seconds: work gets slower and faster on its way.
    struct Mark
    {
        std::int64_t done = 0;
        Clock::time_point time;
    };
    Mark m_from;
    Mark m_next;
    std::int64_t m_lastDone = -1;
    Clock::time_point m_shown;
};

/// A line of the form for programs on standard error.
void writeJsonLine(const nlohmann::json &object);

} // namespace headscope::cli
