#include "core/remote/reconnectsocket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameLength = 32;

fs::path chosenFolder()
{
    const auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    if (const fs::path folder = variable("XDG_RUNTIME_DIR"); !folder.empty())
        return folder / "headscope";
    if (const fs::path home = variable("HOME"); !home.empty())
        return home / ".cache" / "headscope" / "serve";
    return fs::path("/tmp") / fmt::format("headscope-{}", getuid());
}

/// A folder that is accessible only to this user.
Result<fs::path> ownFolder()
{
    const fs::path folder = chosenFolder();
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return resourceError(fmt::format("{}: {}.", folder.string(), std::strerror(errno)));
    struct stat found
    {
    };
    if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != getuid()
        || (found.st_mode & 077) != 0)
        return resourceError(fmt::format("{} is not a folder of this user alone (mode 700).", folder.string()));
    return folder;
}

Result<sockaddr_un> addressOf(const fs::path &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string text = path.string();
    if (text.size() >= sizeof address.sun_path)
        return resourceError(fmt::format("{} is too long for a socket.", text));
    std::ranges::copy(text, address.sun_path);
    return address;
}

int openSocket()
{
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        throw Failure(resourceError(fmt::format("cannot make a socket: {}.", std::strerror(errno))));
    return descriptor;
}

} // namespace

ReconnectSocket::ReconnectSocket(const std::string &session) : m_path(ownFolder().valueOrThrow() / session)
{
    const sockaddr_un address = addressOf(m_path).valueOrThrow();
    m_listening = openSocket();
    if (bind(m_listening, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
        || listen(m_listening, 4) != 0) {
        const std::string reason = std::strerror(errno);
        ::close(m_listening);
        throw Failure(resourceError(fmt::format("{}: {}.", m_path.string(), reason)));
    }
}

ReconnectSocket::~ReconnectSocket()
{
    std::error_code ignored;
    fs::remove(m_path, ignored);
    ::close(m_listening);
}

int ReconnectSocket::accept()
{
    for (;;) {
        const int descriptor = accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor >= 0 || (errno != EINTR && errno != ECONNABORTED))
            return descriptor;
    }
}

void ReconnectSocket::close()
{
    shutdown(m_listening, SHUT_RDWR); // accept() returns
}

Result<int> meet(const std::string &session)
{
    if (!isSessionName(session))
        return usageError("\"" + session.substr(0, 60) + "\" is no name of a session.");
    const auto folder = ownFolder();
    if (!folder.isOk())
        return folder.error();
    const auto address = addressOf(folder.value() / session);
    if (!address.isOk())
        return address.error();
    const int descriptor = openSocket();
    if (connect(descriptor, reinterpret_cast<const sockaddr *>(&address.value()), sizeof(sockaddr_un)) == 0)
        return descriptor;
    ::close(descriptor);
    return badInput(fmt::format("{} {} here any more.", kNoSession, session));
}

bool isSessionName(const std::string &session)
{
    return session.size() == kNameLength && session.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string newSessionName()
{
    std::random_device random;
    std::string name;
    while (name.size() < kNameLength)
        name += fmt::format("{:08x}", random());
    return name;
}

} // namespace headscope
