#pragma once

#include "core/base/phase.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace headscope {

/// How far a job is. `done` of `total` in `unit`s; total 0 = not known yet.
struct Progress
{
    PhaseNow phase;   ///< what is being done now
    std::string unit; ///< what is counted, e.g. "sentences"
    std::int64_t done = 0;
    std::int64_t total = 0;
};

/// A job's means to be cancelled, to report progress and to yield to urgent jobs. Work functions call checkpoint()
/// often enough to stop within 200 ms.
class JobControl
{
public:
    JobControl() = default;
    explicit JobControl(std::stop_token stop, std::function<void(const Progress &)> onProgress = {},
                        std::function<void()> yieldToUrgentWork = {})
        : m_stop(std::move(stop)), m_onProgress(std::move(onProgress)),
          m_yieldToUrgentWork(std::move(yieldToUrgentWork))
    {
    }

    bool cancelled() const { return m_stop.stop_requested(); }

    /// Whether this is background work, which waits while urgent jobs run.
    bool yieldsToUrgentWork() const { return static_cast<bool>(m_yieldToUrgentWork); }

    /// Throws Cancelled if the user cancelled; blocks while a more urgent job runs.
    void checkpoint() const
    {
        if (m_yieldToUrgentWork)
            m_yieldToUrgentWork();
        if (cancelled())
            throw Cancelled();
    }

    void progress(const Progress &progress) const
    {
        if (m_onProgress)
            m_onProgress(progress);
    }

private:
    std::stop_token m_stop;
    std::function<void(const Progress &)> m_onProgress;
    std::function<void()> m_yieldToUrgentWork;
};

/// Receives partial results while a job runs, on the job's thread. Each is a complete, immutable value.
template<typename T>
using Publish = std::function<void(const T &)>;

} // namespace headscope
