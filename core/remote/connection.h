#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/remote/wire.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// Thrown by Connection::ask() once the core on the other side is gone for good.
class ConnectionLost : public Failure
{
public:
    using Failure::Failure;
};

/// The program that reaches `headscope-cli serve` on another machine: a host as ssh knows it becomes "ssh HOST
/// headscope-cli serve", a command (it has a blank) gets "serve" after it. `session`: of a core that is to be found
/// again; empty: a new one. Throws Failure for a host that ssh would take for an option.
std::vector<std::string> remoteCommand(const std::string &host, const std::string &session);

/// The way to a core on another machine. Where the connection breaks it is made again, as long as the core waits there:
/// whoever asks only waits longer. Any thread may ask.
class Connection
{
public:
    /// Reaches the host and greets the core. Errors say what ssh, or whatever was run, said.
    static Result<std::shared_ptr<Connection>> open(const std::string &host, const JobControl &control);
    ~Connection(); ///< tells the core to end
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    const std::string &host() const;
    /// Whether it is gone for good.
    bool isGone() const;

    /// What the method gives. `onPartial` is called on this thread. Throws Failure, Cancelled, ConnectionLost.
    wire::WithFloats ask(const std::string &method, nlohmann::json params, const JobControl &control,
                         const std::function<void(const nlohmann::json &)> &onPartial = {});

    /// For tests: the connection as if the network had failed.
    void dropConnection();

private:
    struct State;
    explicit Connection(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace headscope
