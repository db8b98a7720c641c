#include "core/formats/lostpages.h"

#include "core/base/ranges.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace headscope {

/// Never freed, but used again: the handler may walk over it at any moment, and may take no lock.
struct WatchedPages::Range
{
    std::atomic<std::uintptr_t> begin = 0; ///< 0: free
    std::atomic<std::uintptr_t> end = 0;
    std::atomic<bool> lost = false;
    Range *next = nullptr;
};

namespace {

std::atomic<WatchedPages::Range *> firstRange = nullptr;
std::uintptr_t pageSize = 4096;
struct sigaction previousAction = {};
std::mutex rangesMutex; ///< of those who add and free ranges

void onBusError(int, siginfo_t *info, void *)
{
    const int kept = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (WatchedPages::Range *range = firstRange; range != nullptr; range = range->next) {
        if (address < range->begin || address >= range->end)
            continue;
        void *page = reinterpret_cast<void *>(address & ~(pageSize - 1));
        constexpr int kZeros = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
        if (::mmap(page, pageSize, PROT_READ | PROT_WRITE, kZeros, -1, 0) == MAP_FAILED) // NOLINT
            break;
        range->lost = true;
        errno = kept;
        return;
    }
    ::sigaction(SIGBUS, &previousAction, nullptr); // the same instruction runs again, and the previous handler gets the
                                                   // signal
    errno = kept;
}

void installHandler()
{
    static const bool kInstalled = [] {
        pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action = {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &previousAction) == 0;
    }();
    (void)kInstalled;
}

} // namespace

void WatchedPages::watch(const std::byte *data, std::size_t size)
{
    installHandler();
    const std::scoped_lock lock(rangesMutex);
    Range *range = firstRange;
    while (range != nullptr && range->begin != 0)
        range = range->next;
    if (range == nullptr) {
        range = new Range;
        range->next = firstRange;
        firstRange = range;
    }
    range->lost = false;
    range->end = reinterpret_cast<std::uintptr_t>(data) + size;
    range->begin = reinterpret_cast<std::uintptr_t>(data);
    m_range = range;
}

void WatchedPages::forget()
{
    if (m_range == nullptr)
        return;
    const std::scoped_lock lock(rangesMutex);
    m_range->end = 0;
    m_range->begin = 0;
    m_range = nullptr;
}

bool WatchedPages::isLost() const
{
    return m_range != nullptr && m_range->lost;
}

} // namespace headscope
