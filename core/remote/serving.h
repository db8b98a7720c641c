#pragma once

#include "core/remote/reconnectsocket.h"
#include "core/remote/server.h"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace headscope {

/// Serves a client on `channel`, and on any other channel on which it reconnects to `place`, until it sends "exit",
/// `stop` is requested, or no client has connected for as long as `keep`.
void serve(Server &server, ReconnectSocket &place, std::unique_ptr<Channel> channel, std::chrono::seconds keep,
           const std::stop_token &stop);

/// Relays bytes between standard input and output and the session's socket, for a client that reconnects, until either
/// ends. Errors: the session no longer exists.
Result<Done> relay(const std::string &session, int in, int out, const std::stop_token &stop);

} // namespace headscope
