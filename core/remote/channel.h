#pragma once

#include "core/base/childprogram.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>

namespace headscope {

/// Two ends of pipes or a socket that bytes come from and go to. One thread reads; any thread may write, which is done
/// one after the other, and close it.
class Channel
{
public:
    /// Does not own the descriptors. `patience`: how long the other side may take nothing of what is written before it
    /// counts as gone.
    Channel(int in, int out, std::chrono::milliseconds patience = std::chrono::minutes(1))
        : m_in(in), m_out(out), m_patience(patience)
    {
    }
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    /// At least one byte, or 0 once the other side is gone or the channel is closed.
    std::size_t read(std::span<char> bytes);
    /// All of it; false once the other side is gone or the channel is closed. Closes the channel where not all of it
    /// could be written: what would follow could not be understood.
    bool write(std::string_view bytes);
    /// Pending reads and writes return at once.
    void close();

private:
    int m_in;
    int m_out;
    std::chrono::milliseconds m_patience;
    std::atomic<bool> m_closed = false;
    std::mutex m_writing;
    Pipe m_wake; ///< readable once the channel is closed
};

} // namespace headscope
