#include "core/remote/connection.h"

#include "core/analysis/allphases.h"
#include "core/base/childprogram.h"
#include "core/base/hostname.h"
#include "core/base/phases.h"
#include "core/base/process.h"
#include "core/base/shellwords.h"
#include "core/formats/jsonfile.h"
#include "core/remote/channel.h"
#include "core/remote/frames.h"
#include "core/remote/reconnectsocket.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace headscope {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestAnswer = std::size_t(2) << 30;
constexpr std::size_t kErrorText = 2000; ///< kept of what the program says on standard error
constexpr auto kLook = 50ms;             ///< how soon a cancel is seen
constexpr auto kGreeting = 60s;          ///< that ssh and the core may take until the first word
constexpr auto kLastWords = 3s;          ///< that a program which ends may take to say why
constexpr auto kQuiet = 15s;             ///< after which the other side is asked whether it is there
constexpr auto kDead = 45s;              ///< after which it is not
constexpr auto kLongestPause = 30s;      ///< between two tries
constexpr auto kPatience = 30min;        ///< as long as the core waits by itself

/// One child that reaches the core: lives as long as the connection holds.
class Link
{
public:
    Link(const std::string &host, const std::string &session)
        : m_child(remoteCommand(host, session)), m_channel(m_child.out().readEnd(), m_child.in().writeEnd()),
          m_reader([this](std::span<char> bytes) { return m_channel.read(bytes); }, kLongestAnswer),
          m_errorChannel(m_child.err().readEnd(), -1), m_errors([this] { readErrors(); })
    {
    }
    ~Link()
    {
        m_channel.close();
        m_child.in().closeWrite();
        waitForEnd();
        m_child.end();
        m_errorChannel.close(); // what the program has started may still hold the other end
        m_errors.join();
    }
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;

    bool send(const json &message) { return m_channel.write(framed(message)); }
    void close() { m_channel.close(); }
    /// The next message, with the numbers that belong to it; none at the end. Throws Failure for what is no message.
    std::optional<std::pair<json, std::string>> next()
    {
        const auto frame = m_reader.next();
        if (!frame)
            return std::nullopt;
        json message = parseJson(frame->bytes, "what the other machine sent").valueOrThrow();
        if (frame->binary || !message.is_object())
            throw Failure(badInput("the other machine did not send a message"));
        std::string floats;
        if (message.contains("binary")) {
            auto numbers = m_reader.next();
            if (!numbers)
                return std::nullopt;
            floats = std::move(numbers->bytes);
        }
        return std::pair(std::move(message), std::move(floats));
    }
    /// The last lines that the program said on standard error, once it has nothing more to say: a program that ends
    /// closes its output before what it said last is read here.
    std::string lastWords()
    {
        std::unique_lock lock(m_textMutex);
        (void)m_said.wait_for(lock, kLastWords, [this] { return m_allSaid; });
        std::string text = m_text;
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
            text.pop_back();
        return text;
    }

private:
    void readErrors()
    {
        std::array<char, 1024> bytes{};
        for (std::size_t got = m_errorChannel.read(bytes); got > 0; got = m_errorChannel.read(bytes)) {
            const std::scoped_lock lock(m_textMutex);
            m_text.append(bytes.data(), got);
            if (m_text.size() > kErrorText)
                m_text.erase(0, m_text.size() - kErrorText);
        }
        const std::scoped_lock lock(m_textMutex);
        m_allSaid = true;
        m_said.notify_all();
    }
    /// A short wait for sent messages to leave; a program that hangs is not waited for long.
    void waitForEnd()
    {
        for (int i = 0; i < 10 && m_child.isRunning(); ++i)
            std::this_thread::sleep_for(10ms);
    }

    ChildProgram m_child;
    Channel m_channel;
    FrameReader m_reader;
    std::mutex m_textMutex; ///< guards what follows
    std::condition_variable m_said;
    std::string m_text;
    bool m_allSaid = false;
    Channel m_errorChannel;
    std::thread m_errors;
};

json request(std::int64_t id, const std::string &method, const json &params)
{
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

json notice(const char *method, std::int64_t id)
{
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", {{"id", id}}}};
}

Progress progressOf(const json &object)
{
    return {phaseNamed(object.value("phase", std::string()), allPhases()), object.value("unit", std::string()),
            object.value("done", std::int64_t(0)), object.value("total", std::int64_t(0))};
}

/// The program's words, and what may help.
std::string withHint(const std::string &host, const std::string &text)
{
    std::string message
        = fmt::format("{} cannot be reached: {}", host, text.empty() ? "nothing answers as Headscope does" : text);
    if (text.find("not found") != std::string::npos)
        message += fmt::format(". Install Headscope there, or name its path: \"ssh {} /PATH/TO/headscope-cli\"", host);
    return message;
}

} // namespace

std::vector<std::string> remoteCommand(const std::string &host, const std::string &session)
{
    const std::string serve = session.empty() ? "serve" : "serve --resume " + session;
    if (host.find_first_of(" \t") == std::string::npos) {
        if (!isHostName(host))
            throw Failure(usageError(
                fmt::format("\"{}\" is no host: ssh takes NAME or USER@NAME, of letters, digits, dots, dashes "
                            "and underscores.",
                            host)));
        return {"ssh", "-T", "-o", "ConnectTimeout=20", "--", host, "headscope-cli " + serve};
    }
    std::vector<std::string> words = shellWords(host, "the command that reaches the other machine");
    if (words.empty())
        throw Failure(usageError("There is no command that reaches the other machine."));
    for (const std::string &word : shellWords(serve, "serve"))
        words.push_back(word);
    return words;
}

struct Connection::State
{
    struct Pending
    {
        json message; ///< as it was sent, to send it again
        std::optional<json> answer;
        std::string floats;
        std::optional<json> partial;
        std::optional<Progress> progress;
    };

    explicit State(std::string reached) : host(std::move(reached)) { }

    std::string host;
    mutable std::mutex mutex; ///< guards what follows
    std::condition_variable_any changed;
    std::shared_ptr<Link> link; ///< null: not connected
    std::string session;
    std::optional<Error> gone;
    std::map<std::int64_t, Pending> pending;
    std::int64_t lastId = 0;
    bool closing = false;
    Clock::time_point heard = Clock::now();
    std::jthread keeper;  ///< reads, and connects again
    std::jthread watcher; ///< asks a side that has said nothing for long

    json greet(Link &made, const std::vector<std::int64_t> &ids);
    void readFrom(Link &from);
    void receive(Link &from, std::pair<json, std::string> message);
    void take(json message, std::string floats);
    void keep(const std::stop_token &stop);
    bool connectAgain(const std::stop_token &stop);
    void watch(const std::stop_token &stop);
    void giveUp(Error why);
};

/// Greets the core and waits for its answer, which tells which of the requests it does not know.
json Connection::State::greet(Link &made, const std::vector<std::int64_t> &ids)
{
    constexpr std::int64_t kGreetingId = 0; // requests begin with 1
    if (!made.send(request(kGreetingId, "initialize", {{"protocol", wire::kProtocol}, {"pending", ids}})))
        throw Failure(resourceError(withHint(host, made.lastWords())));
    // A program that says nothing is ended, and with it the wait.
    std::jthread alarm([&made](const std::stop_token &stop) {
        std::mutex waiting;
        std::unique_lock lock(waiting);
        std::condition_variable_any never;
        if (!never.wait_for(lock, stop, kGreeting, [] { return false; }) && !stop.stop_requested())
            made.close();
    });
    const auto next = [&] {
        try {
            return made.next();
        } catch (const Failure &failure) {
            throw Failure(badInput(fmt::format("{}: the program that answers there is not Headscope ({}).", host,
                                               failure.error().message)));
        }
    };
    try {
        while (auto message = next()) {
            if (message->first.value("id", json()) != kGreetingId) {
                receive(made, *std::move(message));
                continue;
            }
            if (message->first.contains("error"))
                throw Failure(wire::error(message->first["error"]));
            return message->first.at("result");
        }
    } catch (const json::exception &) {
        throw Failure(badInput(fmt::format("{}: the program that answers there is not Headscope.", host)));
    }
    throw Failure(resourceError(withHint(host, made.lastWords())));
}

void Connection::State::take(json message, std::string floats)
{
    const std::string method = message.value("method", std::string());
    const json params = message.value("params", json::object());
    const json id = method.empty() ? message.value("id", json()) : params.value("id", json());
    if (!id.is_number_integer())
        return;
    const std::scoped_lock lock(mutex);
    heard = Clock::now();
    const auto found = pending.find(id.get<std::int64_t>());
    if (found != pending.end()) {
        if (method == "$/progress") {
            found->second.progress = progressOf(params.value("progress", json::object()));
        } else if (method == "$/partial") {
            found->second.partial = params.value("result", json());
        } else if (method.empty()) {
            found->second.answer = std::move(message);
            found->second.floats = std::move(floats);
        }
    }
    changed.notify_all();
}

void Connection::State::receive(Link &from, std::pair<json, std::string> message)
{
    const json id = message.first.value("id", json()); // of an answer
    take(std::move(message.first), std::move(message.second));
    if (id.is_number_integer())
        (void)from.send(notice("$/received", id.get<std::int64_t>()));
}

/// Until the link breaks.
void Connection::State::readFrom(Link &from)
{
    try {
        while (auto message = from.next())
            receive(from, *std::move(message));
    } catch (const std::exception &) { // what is not understood is as good as a broken connection
    }
}

void Connection::State::giveUp(Error why)
{
    const std::scoped_lock lock(mutex);
    gone = std::move(why);
    changed.notify_all();
}

/// One try; false: not now. Gives up where the core says that the session is gone.
bool Connection::State::connectAgain(const std::stop_token &stop)
{
    std::vector<std::int64_t> ids;
    {
        const std::scoped_lock lock(mutex);
        for (const auto &[id, request] : pending) {
            if (!request.answer)
                ids.push_back(id);
        }
    }
    std::shared_ptr<Link> made;
    json greeting;
    try {
        made = std::make_shared<Link>(host, session);
        const std::stop_callback stopped(stop, [&made] { made->close(); });
        greeting = greet(*made, ids);
    } catch (const Failure &) {
        if (made && made->lastWords().find(kNoSession) != std::string::npos)
            giveUp(resourceError(fmt::format("{}: the core there has ended.", host)));
        return false;
    }
    const auto unknown = greeting.value("unknown", std::vector<std::int64_t>());
    const auto isIn = [](const std::vector<std::int64_t> &list, std::int64_t id) {
        return std::ranges::find(list, id) != list.end();
    };
    std::vector<json> again;
    {
        const std::scoped_lock lock(mutex);
        link = made;
        heard = Clock::now();
        for (const auto &[id, request] : pending) { // what the core never got, and what was asked meanwhile
            if (!request.answer && (isIn(unknown, id) || !isIn(ids, id)))
                again.push_back(request.message);
        }
        changed.notify_all();
    }
    for (const json &message : again)
        (void)made->send(message);
    return true;
}

void Connection::State::keep(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        std::shared_ptr<Link> now;
        {
            const std::scoped_lock lock(mutex);
            now = link;
        }
        if (!now)
            return;
        readFrom(*now);
        now.reset();
        std::shared_ptr<Link> broken; // ended without the lock
        {
            const std::scoped_lock lock(mutex);
            broken = std::move(link);
            link = nullptr;
            changed.notify_all();
        }
        broken.reset();
        const auto end = Clock::now() + kPatience;
        for (Clock::duration pause = 200ms; !stop.stop_requested() && !connectAgain(stop);
             pause = std::min<Clock::duration>(pause * 2, kLongestPause)) {
            if (Clock::now() > end)
                giveUp(resourceError(fmt::format("The connection to {} is lost.", host)));
            std::unique_lock lock(mutex);
            if (gone)
                return;
            (void)changed.wait_for(lock, stop, pause, [] { return false; });
        }
    }
}

void Connection::State::watch(const std::stop_token &stop)
{
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        (void)changed.wait_for(lock, stop, kQuiet, [] { return false; });
        const auto quiet = Clock::now() - heard;
        const auto now = link;
        if (stop.stop_requested() || !now || quiet < kQuiet)
            continue;
        lock.unlock();
        if (quiet > kDead)
            now->close();
        else
            (void)now->send(request(0, "ping", json::object()));
        lock.lock();
    }
}

Connection::Connection(std::unique_ptr<State> state) : m_state(std::move(state)) { }

Result<std::shared_ptr<Connection>> Connection::open(const std::string &host, const JobControl &control)
{
    ignoreBrokenPipes();
    try {
        control.progress({{kPhaseConnecting, {host}}, "", 0, 0});
        auto state = std::make_unique<State>(host);
        auto link = std::make_shared<Link>(host, "");
        std::jthread cancelling([&](const std::stop_token &stop) { // greet() waits for the other side
            while (!stop.stop_requested()) {
                if (control.cancelled())
                    link->close();
                std::this_thread::sleep_for(kLook);
            }
        });
        json greeting;
        try {
            greeting = state->greet(*link, {});
        } catch (const Failure &) {
            if (control.cancelled())
                return Result<std::shared_ptr<Connection>>::cancelled();
            throw;
        }
        state->session = greeting.value("session", std::string());
        state->link = std::move(link);
        cancelling.request_stop();
        cancelling.join();
        State &its = *state;
        std::shared_ptr<Connection> connection(new Connection(std::move(state)));
        its.keeper = std::jthread([&its](const std::stop_token &stop) { its.keep(stop); });
        its.watcher = std::jthread([&its](const std::stop_token &stop) { its.watch(stop); });
        return connection;
    } catch (const Failure &failure) {
        return failure.error();
    }
}

Connection::~Connection()
{
    m_state->keeper.request_stop();
    m_state->watcher.request_stop();
    std::shared_ptr<Link> link;
    {
        const std::scoped_lock lock(m_state->mutex);
        link = m_state->link;
    }
    if (link) {
        (void)link->send({{"jsonrpc", "2.0"}, {"method", "exit"}});
        link->close();
    }
}

const std::string &Connection::host() const
{
    return m_state->host;
}

bool Connection::isGone() const
{
    const std::scoped_lock lock(m_state->mutex);
    return m_state->gone.has_value();
}

void Connection::dropConnection()
{
    const std::scoped_lock lock(m_state->mutex);
    if (m_state->link)
        m_state->link->close();
}

namespace {

/// Without holding the lock. Where it fails the keeper sends it again.
void sendUnlocked(std::unique_lock<std::mutex> &lock, std::shared_ptr<Link> link, const json &message)
{
    lock.unlock();
    (void)link->send(message);
    link.reset();
    lock.lock();
}

/// The result in an answer of the core; throws the error in it.
wire::WithFloats resultOf(json answer, std::string floats)
{
    if (answer.contains("error")) {
        if (answer["error"].value("code", 0) == wire::kCancelledCode)
            throw Cancelled();
        throw Failure(wire::error(answer["error"]));
    }
    return {.value = std::move(answer["result"]), .floats = std::move(floats)};
}

} // namespace

wire::WithFloats Connection::ask(const std::string &method, json params, const JobControl &control,
                                 const std::function<void(const json &)> &onPartial)
{
    State &state = *m_state;
    if (control.cancelled())
        throw Cancelled();
    params["urgent"] = !control.yieldsToUrgentWork();
    std::unique_lock lock(state.mutex);
    const std::int64_t id = ++state.lastId;
    State::Pending &pending = state.pending[id];
    pending.message = request(id, method, params);
    const json message = pending.message;
    // The request is removed in any case, and cancelled at the core if nobody waits for it.
    const auto leave = [&](bool cancel) {
        state.pending.erase(id);
        const auto now = state.link;
        lock.unlock();
        if (cancel && now)
            (void)now->send(notice("$/cancel", id));
    };
    if (state.link)
        sendUnlocked(lock, state.link, message);
    while (!pending.answer) {
        if (control.cancelled()) {
            leave(true);
            throw Cancelled();
        }
        if (state.gone) {
            const Error why = *state.gone;
            leave(false);
            throw ConnectionLost(why);
        }
        auto progress = std::exchange(pending.progress, std::nullopt);
        const auto partial = std::exchange(pending.partial, std::nullopt);
        if (!state.link)
            progress = Progress{{kPhaseWaiting, {state.host}}, "", 0, 0};
        if (progress || partial) {
            lock.unlock();
            if (progress)
                control.progress(*progress);
            try {
                if (partial && onPartial)
                    onPartial(*partial);
            } catch (...) {
                lock.lock();
                leave(true);
                throw;
            }
            lock.lock();
        }
        if (!pending.answer)
            (void)state.changed.wait_for(lock, kLook);
    }
    json answer = *std::move(pending.answer);
    std::string floats = std::move(pending.floats);
    leave(false);
    return resultOf(std::move(answer), std::move(floats));
}

} // namespace headscope
