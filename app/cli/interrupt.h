#pragma once

#include <stop_token>
#include <thread>

namespace headscope::cli {

/// Turns the first SIGINT or SIGTERM into a stop request; a second one ends the program at once. Make it before
/// any other thread, and keep it until the end.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    std::stop_token token() const { return m_stop.get_token(); }

private:
    void waitForSignals();

    std::stop_source m_stop;
    int m_readEnd = -1;
    std::thread m_thread;
};

} // namespace headscope::cli
