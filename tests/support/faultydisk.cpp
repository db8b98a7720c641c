#include "tests/support/faultydisk.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> s_bytesLeft{kNever};
std::atomic<std::int64_t> s_callsLeft{kNever}; ///< before the one that fails
std::atomic<bool> s_kills{false};
std::atomic<bool> s_exchanges{true};

/// What the C library has under that name.
template<typename Function>
Function original(const char *name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// Whether this call is the one.
bool failsNow()
{
    if (s_callsLeft.load() == kNever || s_callsLeft.fetch_sub(1) != 0)
        return false;
    if (s_kills)
        ::kill(::getpid(), SIGKILL);
    errno = EIO;
    return true;
}

bool isFile(int descriptor)
{
    struct stat facts = {};
    return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

/// As much as there is room for, by the library's own call.
template<typename Real>
ssize_t written(int descriptor, size_t count, Real real)
{
    const bool watched = s_bytesLeft.load() != kNever || s_callsLeft.load() != kNever;
    if (!watched || !isFile(descriptor))
        return real(count);
    if (failsNow())
        return -1;
    if (s_bytesLeft.load() == kNever)
        return real(count);
    const std::int64_t room = std::min(static_cast<std::int64_t>(count), s_bytesLeft.load());
    s_bytesLeft -= room;
    if (room > 0)
        return real(static_cast<size_t>(room));
    errno = ENOSPC;
    return count == 0 ? 0 : -1;
}

} // namespace

extern "C" {

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    static const auto real = original<ssize_t (*)(int, const void *, size_t)>("write");
    return written(descriptor, count, [&](size_t room) { return real(descriptor, bytes, room); });
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    static const auto real = original<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite");
    return written(descriptor, count, [&](size_t room) { return real(descriptor, bytes, room, offset); });
}

int fsync(int descriptor)
{
    static const auto real = original<int (*)(int)>("fsync");
    return failsNow() ? -1 : real(descriptor);
}

int rename(const char *from, const char *to) noexcept
{
    static const auto real = original<int (*)(const char *, const char *)>("rename");
    return failsNow() ? -1 : real(from, to);
}

int renameat2(int fromFolder, const char *from, int toFolder, const char *to, unsigned flags) noexcept
{
    static const auto real = original<int (*)(int, const char *, int, const char *, unsigned)>("renameat2");
    if (!s_exchanges && flags == RENAME_EXCHANGE) {
        errno = EINVAL;
        return -1;
    }
    return failsNow() ? -1 : real(fromFolder, from, toFolder, to, flags);
}

int mkdir(const char *folder, mode_t mode) noexcept
{
    static const auto real = original<int (*)(const char *, mode_t)>("mkdir");
    return failsNow() ? -1 : real(folder, mode);
}

} // extern "C"

namespace headscope::testing {

DiskFullAfter::DiskFullAfter(std::int64_t bytes)
{
    s_bytesLeft = bytes;
}
DiskFullAfter::~DiskFullAfter()
{
    s_bytesLeft = kNever;
}

CallFails::CallFails(int call)
{
    s_callsLeft = call;
}
CallFails::~CallFails()
{
    s_callsLeft = kNever;
}
bool CallFails::happened() const
{
    return s_callsLeft.load() < 0;
}

NoExchange::NoExchange()
{
    s_exchanges = false;
}
NoExchange::~NoExchange()
{
    s_exchanges = true;
}

bool killedAtCall(int call, const std::function<void()> &work)
{
    const pid_t child = ::fork();
    if (child == 0) {
        s_kills = true;
        s_callsLeft = call;
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return false;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        throw std::runtime_error("the copy of the process crashed: status " + std::to_string(status));
    return true;
}

} // namespace headscope::testing
