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

/// The connection to a core on another machine. A broken connection is re-established as long as the core waits there:
/// requests only take longer. Any thread may ask.
class Connection
{
public:
    /// Connects to the host and initializes the core. Errors contain the output of ssh, or of whatever command was run.
    static Result<std::shared_ptr<Connection>> open(const std::string &host, const JobControl &control);
    ~Connection(); ///< ends the core
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    const std::string &host() const;
    /// Whether the connection is lost and cannot be re-established.
    bool isGone() const;

    /// Calls the method and waits for its result. `onPartial` is called on this thread. Throws Failure, Cancelled,
    /// ConnectionLost.
    wire::WithFloats ask(const std::string &method, nlohmann::json params, const JobControl &control,
                         const std::function<void(const nlohmann::json &)> &onPartial = {});

    /// For tests: breaks the connection as a network failure would.
    void dropConnection();

private:
    struct State;
    explicit Connection(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace headscope
