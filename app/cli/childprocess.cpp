#include "app/cli/childprocess.h"

#include "core/base/result.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace headscope::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// A pipe whose ends are closed with it.
class Pipe
{
public:
    Pipe()
    {
        if (pipe2(m_ends.data(), O_CLOEXEC) != 0)
            throw Failure(resourceError(fmt::format("cannot make a pipe: {}", std::strerror(errno))));
    }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    int readEnd() const { return m_ends[0]; }
    int writeEnd() const { return m_ends[1]; }
    void closeEnd(std::size_t end)
    {
        if (m_ends[end] >= 0)
            close(m_ends[end]);
        m_ends[end] = -1;
    }
    /// Adds what there is to `text`; closes the end that is read where nothing more will come.
    void drain(std::string &text)
    {
        std::array<char, 4096> bytes{};
        const ssize_t got = read(m_ends[0], bytes.data(), bytes.size());
        if (got > 0)
            text.append(bytes.data(), static_cast<std::size_t>(got));
        else if (got == 0 || errno != EINTR)
            closeEnd(0);
    }

private:
    std::array<int, 2> m_ends{-1, -1};
};

/// How a child begins: default signals, all of them let through (this program holds some back), a group of its own.
class SpawnSetting
{
public:
    SpawnSetting(const Pipe &out, const Pipe &err)
    {
        posix_spawnattr_init(&m_attributes);
        posix_spawn_file_actions_init(&m_files);
        sigset_t none;
        sigemptyset(&none);
        sigset_t all;
        sigfillset(&all);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        posix_spawnattr_setpgroup(&m_attributes, 0);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        posix_spawn_file_actions_addopen(&m_files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&m_files, out.writeEnd(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&m_files, err.writeEnd(), STDERR_FILENO);
    }
    ~SpawnSetting()
    {
        posix_spawn_file_actions_destroy(&m_files);
        posix_spawnattr_destroy(&m_attributes);
    }
    SpawnSetting(const SpawnSetting &) = delete;
    SpawnSetting &operator=(const SpawnSetting &) = delete;

    pid_t start(const std::vector<std::string> &words) const
    {
        std::vector<char *> arguments;
        for (const std::string &word : words)
            arguments.push_back(const_cast<char *>(word.c_str()));
        arguments.push_back(nullptr);
        pid_t child = 0;
        const int error = posix_spawnp(&child, arguments.front(), &m_files, &m_attributes, arguments.data(), environ);
        if (error != 0)
            throw Failure(resourceError(fmt::format("cannot run {}: {}.", words.front(), std::strerror(error))));
        return child;
    }

private:
    posix_spawnattr_t m_attributes{};
    posix_spawn_file_actions_t m_files{};
};

/// A child that is ended and waited for, whatever happens.
class Child
{
public:
    explicit Child(pid_t child) : m_child(child) {}
    ~Child()
    {
        if (m_child > 0) {
            kill(-m_child, SIGKILL);
            (void)wait();
        }
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    int wait()
    {
        int status = 0;
        while (waitpid(m_child, &status, 0) < 0 && errno == EINTR) {
        }
        m_child = 0;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    pid_t m_child;
};

} // namespace

ProgramAnswer runProgram(const std::vector<std::string> &words, std::chrono::seconds limit, const std::stop_token &stop)
{
    constexpr int kLookMs = 20; // how soon a stop is seen
    Pipe out;
    Pipe err;
    Child child(SpawnSetting(out, err).start(words));
    out.closeEnd(1);
    err.closeEnd(1);
    ProgramAnswer answer;
    const auto end = Clock::now() + limit;
    while (out.readEnd() >= 0 || err.readEnd() >= 0) {
        std::array<pollfd, 2> watched{pollfd{out.readEnd(), POLLIN, 0}, pollfd{err.readEnd(), POLLIN, 0}};
        poll(watched.data(), watched.size(), kLookMs);
        if (stop.stop_requested())
            throw Cancelled();
        if (Clock::now() > end)
            throw Failure(resourceError(fmt::format("{} has not answered for {} seconds.", words.front(), limit.count())));
        if (watched[0].revents != 0)
            out.drain(answer.out);
        if (watched[1].revents != 0)
            err.drain(answer.err);
    }
    answer.code = child.wait();
    return answer;
}

} // namespace headscope::cli
