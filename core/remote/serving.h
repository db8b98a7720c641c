#pragma once

#include "core/remote/reconnectsocket.h"
#include "core/remote/server.h"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace headscope {

/// Speaks with a client on `channel`, and on any other on which it comes again to `place`, until it says that it is
/// done, `stop` is requested, or nobody has come for as long as `keep`.
void serve(Server &server, ReconnectSocket &place, std::unique_ptr<Channel> channel, std::chrono::seconds keep,
           const std::stop_token &stop);

/// Passes bytes on between standard input and output and the session's socket, until either ends: a client that
/// comes again. Errors: there is no such session any more.
Result<Done> relay(const std::string &session, int in, int out, const std::stop_token &stop);

} // namespace headscope
