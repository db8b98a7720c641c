#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// A pipe whose ends are closed with it.
class Pipe
{
public:
    Pipe(); ///< throws Failure
    ~Pipe();
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    int readEnd() const { return m_ends[0]; } ///< −1: closed
    int writeEnd() const { return m_ends[1]; }
    void closeRead() { closeEnd(0); }
    void closeWrite() { closeEnd(1); }
    /// Appends the available bytes to `text`; closes the reading end at the end of the stream.
    void drain(std::string &text);

private:
    void closeEnd(std::size_t end);

    std::array<int, 2> m_ends{-1, -1};
};

/// A child process with pipes to its standard input, output and error. It is found in PATH, gets the arguments without
/// a shell, default signals, and its own process group, so that Ctrl-C in the terminal reaches only this program. The
/// destructor ends it.
class ChildProgram
{
public:
    /// Throws Failure if it cannot be started. `folder`: its working folder; empty: this program's.
    explicit ChildProgram(const std::vector<std::string> &words, const std::string &folder = {});
    ~ChildProgram();
    ChildProgram(const ChildProgram &) = delete;
    ChildProgram &operator=(const ChildProgram &) = delete;

    Pipe &in() { return m_in; } ///< its write end is ours; of the others the read end
    Pipe &out() { return m_out; }
    Pipe &err() { return m_err; }
    bool isRunning();
    /// Asks it to stop, as Ctrl-C does.
    void interrupt();
    /// Kills it and its children.
    void end();
    /// Waits for it to exit: the exit code, or 128 plus the signal.
    int wait();

private:
    Pipe m_in;
    Pipe m_out;
    Pipe m_err;
    pid_t m_child = 0; ///< 0: waited for
    int m_status = 0;
};

} // namespace headscope
