#pragma once

#include "core/remote/channel.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// What a core says of itself when a client greets it.
struct ServerGreeting
{
    std::string version; ///< of Headscope
    std::string session; ///< by which the client finds it again
    nlohmann::json environment = nlohmann::json::object();
};

/// A session that is asked by messages (PROTOCOL.md): `headscope-cli serve`. Requests are computed side by side, those
/// that are said to be urgent first. Answers are kept until the client has said that it has them, so that they outlive
/// a connection. What the client sends is taken for a stranger's: refused with a reason, and nothing is done.
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

    /// Speaks with a client until that is gone, whether it said "exit" (true) or not. Another thread may call it with
    /// another channel, on which the client has come again: that one goes on, and this one ends.
    bool speak(Channel &channel);
    /// Whether any client has said "initialize" and was understood.
    bool wasGreeted() const;

private:
    class Conversation;
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace headscope
