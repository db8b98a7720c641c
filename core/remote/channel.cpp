#include "core/remote/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace headscope {

namespace {

constexpr std::chrono::milliseconds kForEver(-1);

/// Waits until one of the two is ready; false for the second, which is the one that wakes, and once it has taken too
/// long.
bool isReady(int descriptor, short events, int wake, std::chrono::milliseconds limit = kForEver)
{
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{descriptor, events, 0}, pollfd{wake, POLLIN, 0}};
        const int ready = poll(watched.data(), watched.size(), static_cast<int>(limit.count()));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        if (watched[1].revents != 0)
            return false;
        if (watched[0].revents != 0)
            return true;
    }
}

} // namespace

std::size_t Channel::read(std::span<char> bytes)
{
    while (isReady(m_in, POLLIN, m_wake.readEnd())) {
        const ssize_t got = ::read(m_in, bytes.data(), bytes.size());
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            return 0;
    }
    return 0;
}

bool Channel::write(std::string_view bytes)
{
    // A channel that poll() calls ready takes this much without blocking, so that a close is seen whatever the other
    // side does.
    constexpr std::size_t kAtOnce = 4096;
    const std::scoped_lock lock(m_writing);
    while (!bytes.empty()) {
        const ssize_t put = isReady(m_out, POLLOUT, m_wake.readEnd(), m_patience)
                              ? ::write(m_out, bytes.data(), std::min(bytes.size(), kAtOnce))
                              : 0;
        if (put > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(put));
        } else if (put == 0 || (errno != EINTR && errno != EAGAIN)) {
            close();
            return false;
        }
    }
    return !m_closed;
}

void Channel::close()
{
    if (!m_closed.exchange(true))
        (void)!::write(m_wake.writeEnd(), "x", 1);
}

} // namespace headscope
