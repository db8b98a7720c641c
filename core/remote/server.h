#pragma once

#include "core/remote/channel.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// The core's answer to `initialize`.
struct ServerGreeting
{
    std::string version; ///< of Headscope
    std::string session; ///< by which the client finds it again
    nlohmann::json environment = nlohmann::json::object();
};

/// A session that answers messages (PROTOCOL.md): `headscope-cli serve`. Requests are computed in parallel, urgent ones
/// first. Answers are kept until the client has confirmed them, so that they survive a broken connection. Messages are
/// not trusted: invalid ones are refused with a reason.
class Server
{
public:
    /// Opens a model: openLocalSession().
    using Open = std::function<Result<std::shared_ptr<Session>>(const std::filesystem::path &, const ModelOptions &,
                                                                const JobControl &)>;

    Server(Open open, ServerGreeting greeting);
    /// Cancels what is being computed, and waits for it.
    ~Server();
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    /// Serves a client until it disconnects; true if it sent "exit". Another thread may call it with another channel,
    /// on which the client has reconnected: the newer channel is served, and the older call returns.
    bool serve(Channel &channel);
    /// Whether any client has said "initialize" and was understood.
    bool wasGreeted() const;

private:
    class Conversation;
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace headscope
