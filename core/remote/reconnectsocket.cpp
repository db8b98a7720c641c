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
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameLength = 32;

/// Where the socket may be, the best place first: in containers and for services the first ones often cannot be made.
std::vector<fs::path> possibleFolders()
{
    const auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    std::vector<fs::path> folders;
    if (const fs::path folder = variable("XDG_RUNTIME_DIR"); !folder.empty())
        folders.push_back(folder / "headscope");
    if (const fs::path home = variable("HOME"); !home.empty())
        folders.push_back(home / ".cache" / "headscope" / "serve");
    folders.push_back(fs::path("/tmp") / fmt::format("headscope-{}", getuid()));
    return folders;
}

/// Makes the folder if it is not there. Errors: it is accessible to others than this user.
Result<fs::path> ownFolder(const fs::path &folder)
{
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

Result<int> openSocket()
{
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return resourceError(fmt::format("cannot make a socket: {}.", std::strerror(errno)));
    return descriptor;
}

/// The descriptor of a socket that listens there.
Result<int> listenAt(const fs::path &path)
{
    const auto address = addressOf(path);
    const auto opened = address.isOk() ? openSocket() : Result<int>(address.error());
    if (!opened.isOk())
        return opened.error();
    if (bind(opened.value(), reinterpret_cast<const sockaddr *>(&address.value()), sizeof(sockaddr_un)) == 0
        && listen(opened.value(), 4) == 0)
        return opened.value();
    const std::string reason = std::strerror(errno);
    ::close(opened.value());
    return resourceError(fmt::format("{}: {}.", path.string(), reason));
}

} // namespace

ReconnectSocket::ReconnectSocket(const std::string &session)
{
    for (const fs::path &possible : possibleFolders()) {
        const auto folder = ownFolder(possible);
        const auto listening = folder.isOk() ? listenAt(folder.value() / session) : Result<int>(folder.error());
        if (listening.isOk()) {
            m_path = folder.value() / session;
            m_listening = listening.value();
            m_problem.clear();
            return;
        }
        m_problem += (m_problem.empty() ? "" : " ") + listening.error().message;
    }
}

ReconnectSocket::~ReconnectSocket()
{
    if (m_listening < 0)
        return;
    std::error_code ignored;
    fs::remove(m_path, ignored);
    ::close(m_listening);
}

int ReconnectSocket::accept()
{
    while (m_listening >= 0) {
        const int descriptor = accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor >= 0 || (errno != EINTR && errno != ECONNABORTED))
            return descriptor;
    }
    return -1;
}

void ReconnectSocket::close()
{
    if (m_listening >= 0)
        shutdown(m_listening, SHUT_RDWR); // accept() returns
}

Result<int> meet(const std::string &session)
{
    if (!isSessionName(session))
        return usageError("\"" + session.substr(0, 60) + "\" is no name of a session.");
    for (const fs::path &possible : possibleFolders()) {
        const auto folder = ownFolder(possible);
        const auto address = folder.isOk() ? addressOf(folder.value() / session) : Result<sockaddr_un>(folder.error());
        if (!address.isOk())
            continue;
        const int descriptor = openSocket().valueOrThrow();
        if (connect(descriptor, reinterpret_cast<const sockaddr *>(&address.value()), sizeof(sockaddr_un)) == 0)
            return descriptor;
        ::close(descriptor);
    }
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
