#pragma once

#include "core/remote/reconnectsocket.h"
#include "core/remote/server.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace headscope {

/// How long a core waits, and what it does once its first client is gone.
struct Keeping
{
    std::chrono::seconds keep{};         ///< for a client to come again
    std::chrono::seconds greeting{60};   ///< for a first client to say what it is
    std::function<void()> leave = [] {}; ///< gives back what the first channel was made of
};

/// Speaks with a client on `channel`, and on any other on which it comes again to `place`, until it says that it is
/// done, `stop` is requested, or nobody has come for as long as is kept. Where nobody has ever said "initialize" (there
/// is no client, or it is none of ours) there is nothing to keep: it ends with the first channel, or once the time for
/// a greeting is over.
void serve(Server &server, ReconnectSocket &place, std::unique_ptr<Channel> channel, const Keeping &keeping,
           const std::stop_token &stop);

/// Relays bytes between standard input and output and the session's socket, for a client that reconnects, until either
/// ends. Errors: the session no longer exists.
Result<Done> relay(const std::string &session, int in, int out, const std::stop_token &stop);

} // namespace headscope
