#include "core/base/childprogram.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace headscope {

namespace {

/// Attributes of the child: default signal handlers, no blocked signals (this program blocks some), its own process
/// group.
class SpawnAttributes
{
public:
    SpawnAttributes(const Pipe &in, const Pipe &out, const Pipe &err, const std::string &folder)
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
        posix_spawn_file_actions_adddup2(&m_files, in.readEnd(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&m_files, out.writeEnd(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&m_files, err.writeEnd(), STDERR_FILENO);
        if (!folder.empty())
            posix_spawn_file_actions_addchdir_np(&m_files, folder.c_str());
    }
    ~SpawnAttributes()
    {
        posix_spawn_file_actions_destroy(&m_files);
        posix_spawnattr_destroy(&m_attributes);
    }
    SpawnAttributes(const SpawnAttributes &) = delete;
    SpawnAttributes &operator=(const SpawnAttributes &) = delete;

    pid_t start(const std::vector<std::string> &words) const
    {
        std::vector<char *> arguments;
        for (const std::string &word : words)
            arguments.push_back(const_cast<char *>(word.c_str()));
        arguments.push_back(nullptr);
        pid_t child = 0;
        const int error = posix_spawnp(&child, arguments.front(), &m_files, &m_attributes, arguments.data(), environ);
        if (error != 0)
            throw Failure(resourceError("cannot run " + words.front() + ": " + std::strerror(error) + '.'));
        return child;
    }

private:
    posix_spawnattr_t m_attributes{};
    posix_spawn_file_actions_t m_files{};
};

} // namespace

Pipe::Pipe()
{
    if (pipe2(m_ends.data(), O_CLOEXEC) != 0)
        throw Failure(resourceError(std::string("cannot make a pipe: ") + std::strerror(errno) + '.'));
}

Pipe::~Pipe()
{
    closeRead();
    closeWrite();
}

void Pipe::closeEnd(std::size_t end)
{
    if (m_ends[end] >= 0)
        close(m_ends[end]);
    m_ends[end] = -1;
}

void Pipe::drain(std::string &text)
{
    std::array<char, 4096> bytes{};
    const ssize_t got = read(m_ends[0], bytes.data(), bytes.size());
    if (got > 0)
        text.append(bytes.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
        closeRead();
}

ChildProgram::ChildProgram(const std::vector<std::string> &words, const std::string &folder)
    : m_child(SpawnAttributes(m_in, m_out, m_err, folder).start(words))
{
    m_in.closeRead();
    m_out.closeWrite();
    m_err.closeWrite();
}

ChildProgram::~ChildProgram()
{
    end();
    if (m_child > 0)
        (void)wait();
}

void ChildProgram::interrupt()
{
    if (m_child > 0)
        kill(-m_child, SIGINT);
}

void ChildProgram::end()
{
    if (m_child > 0)
        kill(-m_child, SIGKILL);
}

bool ChildProgram::isRunning()
{
    if (m_child > 0 && waitpid(m_child, &m_status, WNOHANG) == m_child)
        m_child = 0;
    return m_child > 0;
}

int ChildProgram::wait()
{
    while (m_child > 0 && waitpid(m_child, &m_status, 0) < 0 && errno == EINTR) { }
    m_child = 0;
    return WIFSIGNALED(m_status) ? 128 + WTERMSIG(m_status) : WEXITSTATUS(m_status);
}

} // namespace headscope
