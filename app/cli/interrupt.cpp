#include "app/cli/interrupt.h"

#include "app/cli/cli.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace headscope::cli {

namespace {

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

} // namespace

// A thread waits for the signals: requesting a stop inside a signal handler is not allowed.
Interrupt::Interrupt()
{
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_thread = std::thread(&Interrupt::waitForSignals, this);
}

Interrupt::~Interrupt()
{
    m_ending = true;
    pthread_kill(m_thread.native_handle(), SIGTERM);
    m_thread.join();
}

void Interrupt::waitForSignals()
{
    const sigset_t signals = stopSignals();
    for (;;) {
        int signal = 0;
        if (sigwait(&signals, &signal) != 0 || m_ending)
            return;
        if (m_stop.stop_requested())
            _exit(kCancelled);
        m_stop.request_stop();
    }
}

} // namespace headscope::cli
