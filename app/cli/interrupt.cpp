#include "app/cli/interrupt.h"

#include "app/cli/cli.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace headscope::cli {

namespace {

constexpr char kStop = 's';
constexpr char kEnd = 'e';

std::atomic<int> writeEnd = -1;
std::atomic<bool> isStopping = false;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free); // for a signal handler

void onSignal(int)
{
    if (isStopping.exchange(true))
        _exit(kCancelled);
    const int saved = errno;
    (void)!::write(writeEnd, &kStop, 1);
    errno = saved;
}

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

void handleStopSignals()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM})
        ::sigaction(signal, &action, nullptr);
}

} // namespace

// A signal handler may not request a stop: it tells a thread that may. The signals are handled, and not only waited for
// with all threads' masks blocking them, because libraries start threads before main() (OpenBLAS does), which block
// nothing. All threads made here block them nevertheless, so that no call of theirs is interrupted.
Interrupt::Interrupt()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    m_readEnd = ends[0];
    writeEnd = ends[1];
    handleStopSignals();
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_thread = std::thread(&Interrupt::waitForSignals, this);
}

// The pipe stays open: a signal may still come.
Interrupt::~Interrupt()
{
    while (::write(writeEnd, &kEnd, 1) < 0 && errno == EINTR) { }
    m_thread.join();
}

void Interrupt::waitForSignals()
{
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    char what = 0;
    do {
        const ssize_t count = ::read(m_readEnd, &what, 1);
        if (count == 1 && what == kStop)
            m_stop.request_stop();
    } while (what != kEnd);
}

} // namespace headscope::cli
