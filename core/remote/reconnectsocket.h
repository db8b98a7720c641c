#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope {

/// Where a client finds a core again whose connection broke: a socket in the file system that only this user can open.
/// No port.
class ReconnectSocket
{
public:
    /// Throws Failure where no folder of the user's own can be had.
    explicit ReconnectSocket(const std::string &session);
    ~ReconnectSocket();
    ReconnectSocket(const ReconnectSocket &) = delete;
    ReconnectSocket &operator=(const ReconnectSocket &) = delete;

    /// Descriptor of whoever comes, −1 once close() was called.
    int accept();
    void close();

private:
    std::filesystem::path m_path;
    int m_listening = -1;
};

/// How the error begins that says so; whoever started the program that met nobody reads it off its standard error.
inline constexpr std::string_view kNoSession = "There is no session";

/// The core of that session, as a descriptor of its socket. Errors: there is none any more.
Result<int> meet(const std::string &session);

/// Hexadecimal digits, as session names are; what comes from strangers becomes part of a path only so.
bool isSessionName(const std::string &session);
std::string newSessionName();

} // namespace headscope
