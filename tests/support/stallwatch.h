#pragma once

#include <QTimer>

#include <algorithm>
#include <ctime>

namespace headscope::testing {

/// Measures the longest stretch of work that its thread does between two looks at the event queue: processor time, so
/// that other programs on the same cores do not count.
class StallWatch : public QObject
{
public:
    StallWatch()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(0); // as often as the queue is empty
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const double now = threadMilliseconds();
            m_longest = std::max(m_longest, now - m_last);
            m_last = now;
        });
        m_last = threadMilliseconds();
        m_timer.start();
    }

    double longestMilliseconds() const { return m_longest; }

private:
    static double threadMilliseconds()
    {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
    }

    QTimer m_timer;
    double m_last = 0;
    double m_longest = 0;
};

} // namespace headscope::testing
