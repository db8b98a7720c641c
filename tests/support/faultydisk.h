#pragma once

#include <cstdint>
#include <functional>

/// A disk that fails where a test wants it to. The program's own calls that change files (write, pwrite, fsync, rename,
/// mkdir) go through faultydisk.cpp, which is linked into the test. One of these at a time.
namespace headscope::testing {

/// While it lives, there is room for so many bytes more, in all files together: what does not fit is refused as by a
/// full disk. Renaming and removing still work.
class DiskFullAfter
{
public:
    explicit DiskFullAfter(std::int64_t bytes);
    ~DiskFullAfter();
    DiskFullAfter(const DiskFullAfter &) = delete;
    DiskFullAfter &operator=(const DiskFullAfter &) = delete;
};

/// While it lives, the call number `call` (from 0) fails as on a broken disk, all others work.
class CallFails
{
public:
    explicit CallFails(int call);
    ~CallFails();
    CallFails(const CallFails &) = delete;
    CallFails &operator=(const CallFails &) = delete;

    bool happened() const;
};

/// While it lives, the disk cannot exchange two folders in one step, as some file systems.
class NoExchange
{
public:
    NoExchange();
    ~NoExchange();
    NoExchange(const NoExchange &) = delete;
    NoExchange &operator=(const NoExchange &) = delete;
};

/// Runs `work` in a copy of this process that is killed (SIGKILL) before its call number `call`. Returns whether it
/// was: otherwise `work` came to its end. Throws when it ended in any other way. Precondition: no other threads yet.
bool killedAtCall(int call, const std::function<void()> &work);

} // namespace headscope::testing
