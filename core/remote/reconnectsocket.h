#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope {

/// The socket at which a client reconnects to a core after its connection broke: in the file system, accessible only to
/// this user. No port.
class ReconnectSocket
{
public:
    /// In the first folder that can be had of $XDG_RUNTIME_DIR, ~/.cache and /tmp; where none can, nobody comes here.
    explicit ReconnectSocket(const std::string &session);
    ~ReconnectSocket();
    ReconnectSocket(const ReconnectSocket &) = delete;
    ReconnectSocket &operator=(const ReconnectSocket &) = delete;

    /// The descriptor of a client that connects, −1 once close() was called or where nobody can come.
    int accept();
    void close();
    /// Why nobody can come here; empty: somebody can.
    const std::string &problem() const { return m_problem; }

private:
    std::filesystem::path m_path;
    int m_listening = -1;
    std::string m_problem;
};

/// The beginning of the error for a missing session, which the reconnecting client recognises in the standard error of
/// the command.
inline constexpr std::string_view kNoSession = "There is no session";

/// The core of that session, as a descriptor of its socket. Errors: there is none any more.
Result<int> meet(const std::string &session);

/// Whether a name consists of hexadecimal digits, as session names do: untrusted text becomes part of a path only then.
bool isSessionName(const std::string &session);
std::string newSessionName();

} // namespace headscope
