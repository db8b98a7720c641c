#pragma once

#include <chrono>

namespace headscope {

/// Says when it is time to publish a partial result again.
class Throttle
{
public:
    explicit Throttle(std::chrono::milliseconds period) : m_period(period) { }

    bool isDue()
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last < m_period)
            return false;
        m_last = now;
        return true;
    }

private:
    std::chrono::milliseconds m_period;
    std::chrono::steady_clock::time_point m_last{};
};

} // namespace headscope
