#pragma once

#include <atomic>
#include <cstddef>

namespace headscope {

/// Watches memory that a file is mapped to. Reading a page that the file no longer has (it was truncated, or its disk
/// fails) would end the program by SIGBUS; while watched, the page reads as zeros instead and isLost() says so. The
/// first one installs the process's handler of SIGBUS, which passes on what is not in a watched range.
class WatchedPages
{
public:
    WatchedPages() = default;
    ~WatchedPages() { forget(); }
    WatchedPages(const WatchedPages &) = delete;
    WatchedPages &operator=(const WatchedPages &) = delete;

    void watch(const std::byte *data, std::size_t size);
    /// To be called before the memory is unmapped.
    void forget();
    bool isLost() const;

    struct Range;

private:
    Range *m_range = nullptr;
};

} // namespace headscope
