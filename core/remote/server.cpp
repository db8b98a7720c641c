#include "core/remote/server.h"

#include "core/analysis/collaboratespec.h"
#include "core/base/filesystemerror.h"
#include "core/base/folderlisting.h"
#include "core/base/ranges.h"
#include "core/formats/strictjson.h"
#include "core/remote/frames.h"
#include "core/remote/wire.h"
#include "core/results/jsonread.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

namespace headscope {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestRequest = std::size_t(64) << 20;
constexpr std::size_t kMostAtOnce = 32;   ///< requests
constexpr std::size_t kMostKept = 64;     ///< answers that the client has not confirmed
constexpr std::size_t kMostUnsent = 1024; ///< messages to a client that does not take them: it is not read any more
constexpr std::int64_t kMostRows = 5000;  ///< of a data set in a message
constexpr auto kProgressEvery = std::chrono::milliseconds(100);

constexpr int kParseError = -32700; // JSON-RPC's own numbers
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kNotInitialized = -32002; // and the Language Server Protocol's

json errorObject(int code, const std::string &message)
{
    return {{"code", code}, {"message", message}};
}

/// Lets requests that are not urgent wait while one that is runs.
class Priority
{
public:
    class Urgent
    {
    public:
        Urgent(Priority &priority, bool urgent) : m_priority(urgent ? &priority : nullptr)
        {
            if (m_priority != nullptr) {
                const std::scoped_lock lock(m_priority->m_mutex);
                ++m_priority->m_urgent;
            }
        }
        ~Urgent()
        {
            if (m_priority == nullptr)
                return;
            {
                const std::scoped_lock lock(m_priority->m_mutex);
                --m_priority->m_urgent;
            }
            m_priority->m_changed.notify_all();
        }
        Urgent(const Urgent &) = delete;
        Urgent &operator=(const Urgent &) = delete;

    private:
        Priority *m_priority;
    };

    void waitForUrgentWork(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [this] { return m_urgent == 0; });
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    int m_urgent = 0;
};

/// The queue of messages to the client, in order; of progress and partial results of a request only the newest is kept.
class Outbox
{
public:
    enum class Kind { Answer, Progress, Partial };
    using Bytes = std::shared_ptr<const std::string>; ///< an answer is kept, too

    void put(Kind kind, std::int64_t request, std::string bytes)
    {
        put(kind, request, std::make_shared<const std::string>(std::move(bytes)));
    }
    void put(Kind kind, std::int64_t request, Bytes bytes)
    {
        {
            const std::scoped_lock lock(m_mutex);
            const auto same = [&](const Letter &letter) { return letter.kind == kind && letter.request == request; };
            const auto older = kind == Kind::Answer ? m_letters.end() : std::ranges::find_if(m_letters, same);
            if (older != m_letters.end())
                older->bytes = std::move(bytes);
            else
                m_letters.push_back({kind, request, std::move(bytes)});
        }
        m_changed.notify_all();
    }

    /// The next one; null once `stop` is requested.
    Bytes take(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop, [this] { return !m_letters.empty(); }))
            return nullptr;
        Bytes bytes = std::move(m_letters.front().bytes);
        m_letters.pop_front();
        m_changed.notify_all();
        return bytes;
    }

    /// Until fewer than kMostUnsent wait; false once `stop` is requested.
    bool waitForRoom(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait(lock, stop, [this] { return m_letters.size() < kMostUnsent; });
    }

    /// Messages that were meant for a client that is gone.
    void clear()
    {
        const std::scoped_lock lock(m_mutex);
        m_letters.clear();
    }

private:
    struct Letter
    {
        Kind kind;
        std::int64_t request;
        Bytes bytes;
    };
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Letter> m_letters;
};

/// The answer to a request: a result, with numbers beside it where there are too many for JSON.
using Answer = wire::WithFloats;

std::string answerBytes(std::int64_t id, const Answer &answer)
{
    json message = {{"jsonrpc", "2.0"}, {"id", id}, {"result", answer.value}};
    if (answer.floats.empty())
        return framed(message);
    message["binary"] = 1;
    return framed(message) + framedBinary(answer.floats);
}

std::string errorBytes(const json &id, const json &error)
{
    return framed({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}});
}

std::string newsBytes(const char *method, std::int64_t id, const char *key, const json &value)
{
    return framed({{"jsonrpc", "2.0"}, {"method", method}, {"params", {{"id", id}, {key, value}}}});
}

json progressJson(const Progress &progress)
{
    return {
        {"phase", progress.phase.id()}, {"unit", progress.unit}, {"done", progress.done}, {"total", progress.total}};
}

const json &paramsOf(const json &message)
{
    static const json none = json::object();
    const auto params = message.find("params");
    return params == message.end() ? none : *params;
}

} // namespace

struct Server::State
{
    /// A call of a method.
    struct Call
    {
        std::int64_t id;
        const json &params;
        const JobControl &control;
    };
    using Method = Answer (State::*)(const Call &);
    static const std::map<std::string, Method> &methods();

    struct Request
    {
        Outbox::Bytes answer; ///< as it is sent; null: still computed
        std::jthread thread;
    };

    State(Open opener, ServerGreeting said) : open(std::move(opener)), greeting(std::move(said)) { }

    Open open;
    ServerGreeting greeting;
    Outbox outbox;
    Priority priority;

    std::atomic<bool> greeted = false; ///< by any client
    std::mutex mutex;                  ///< guards what follows
    Channel *channel = nullptr;        ///< on which the client is now
    std::condition_variable channelLeft;
    std::shared_ptr<Session> session;
    std::map<std::int64_t, Request> requests;

    void start(std::int64_t id, Method method, json params);
    void work(std::int64_t id, Method method, const json &params, const std::stop_token &stop);
    void finish(std::int64_t id, std::string answer);
    void cancel(std::int64_t id);
    void forget(std::int64_t id);
    /// Takes what is over out of the requests: threads that have come to their end, and the oldest answers that nobody
    /// has confirmed. Precondition: the mutex is locked. What is returned is to be destroyed after that.
    std::list<Request> over();
    /// The ids that belong to no request.
    json unknownOf(const json &ids);
    /// Sends what is done of these again.
    void resend(const json &ids);
    std::shared_ptr<Session> requireSession();

    Answer openModel(const Call &call);
    Answer list(const Call &call);
    Answer preview(const Call &call);
    Answer setData(const Call &call);
    Answer clearData(const Call &call);
    Answer rows(const Call &call);
    Answer run(const Call &call);
    Answer unfinished(const Call &call);
    Answer release(const Call &call);
    Answer attention(const Call &call);
    Answer neurons(const Call &call);
    Answer prunedCard(const Call &call);
    Answer exportPruned(const Call &call);
    Answer exportShared(const Call &call);
};

const std::map<std::string, Server::State::Method> &Server::State::methods()
{
    static const std::map<std::string, Method> all{
        {"model/open", &State::openModel},       {"folder/list", &State::list},
        {"data/preview", &State::preview},       {"data/set", &State::setData},
        {"data/clear", &State::clearData},       {"data/rows", &State::rows},
        {"analysis/run", &State::run},           {"work/unfinished", &State::unfinished},
        {"work/release", &State::release},       {"attention/of", &State::attention},
        {"attention/neurons", &State::neurons},  {"pruned/card", &State::prunedCard},
        {"pruned/export", &State::exportPruned}, {"shared/export", &State::exportShared}};
    return all;
}

// Requests that can be made

std::shared_ptr<Session> Server::State::requireSession()
{
    const std::scoped_lock lock(mutex);
    if (!session)
        throw Failure(usageError("No model is open."));
    return session;
}

Answer Server::State::openModel(const Call &call)
{
    const std::filesystem::path folder = call.params.at("folder").get<std::string>();
    const ModelOptions options = wire::fromWire<ModelOptions>(call.params.value("options", json::object()));
    auto opened = open(folder, options, call.control).valueOrThrow();
    const Answer answer{.value = wire::toWire(opened->card())};
    const std::scoped_lock lock(mutex);
    session.swap(opened);
    return answer;
}

Answer Server::State::list(const Call &call)
{
    const std::filesystem::path folder = call.params.value("folder", std::string());
    requirePath(folder);
    return {.value = wire::toWire(listFolder(folder, call.control).valueOrThrow())};
}

Answer Server::State::preview(const Call &call)
{
    return {.value = wire::toWire(requireSession()
                                      ->preview(wire::fromWire<DataSource>(call.params.at("source")), call.control)
                                      .valueOrThrow())};
}

Answer Server::State::setData(const Call &call)
{
    const Domain domain = wire::domain(call.params.at("domain"));
    const DataSource source = wire::fromWire<DataSource>(call.params.at("source"));
    return {.value = wire::toWire(requireSession()->setData(domain, source, call.control).valueOrThrow())};
}

Answer Server::State::clearData(const Call &call)
{
    requireSession()->clearData(wire::domain(call.params.at("domain")));
    return {.value = json::object()};
}

Answer Server::State::rows(const Call &call)
{
    const auto rows = requireSession()->rows(wire::domain(call.params.at("domain")));
    if (!rows)
        throw Failure(usageError("No data set is open there."));
    const auto from = std::clamp<std::int64_t>(jsonread::integer(call.params, "from", 0), 0, rows->size());
    const auto count = std::clamp<std::int64_t>(jsonread::integer(call.params, "count", kMostRows), 0, kMostRows);
    json list = json::array();
    for (std::int64_t row = from; row < std::min(from + count, rows->size()); ++row) {
        call.control.checkpoint();
        list.push_back(wire::toWire(rows->at(row)));
    }
    return {.value = {{"rows", std::move(list)}, {"total", rows->size()}}};
}

Answer Server::State::run(const Call &call)
{
    const AnySpec spec = wire::anySpec(call.params);
    Publish<AnyResult> publish;
    if (call.params.value("partial", false)) {
        publish = [&](const AnyResult &partial) {
            outbox.put(Outbox::Kind::Partial, call.id,
                       newsBytes("$/partial", call.id, "result", json(toJson(partial))));
        };
    }
    const auto result
        = requireSession()->runAny(wire::domain(call.params.at("domain")), spec, call.control, publish).valueOrThrow();
    return {.value = json(toJson(result))};
}

Answer Server::State::unfinished(const Call &call)
{
    json results = json::array();
    for (const AnyResult &partial :
         requireSession()->unfinished(wire::domain(call.params.at("domain")), call.control).valueOrThrow())
        results.push_back(json(toJson(partial)));
    return {.value = {{"results", std::move(results)}}};
}

Answer Server::State::release(const Call &call)
{
    requireSession()->release(call.params.at("keys").get<std::vector<std::string>>());
    return {.value = json::object()};
}

Answer Server::State::attention(const Call &call)
{
    const json &params = call.params;
    std::optional<std::string> target;
    if (const auto given = params.find("target"); given != params.end() && !given->is_null())
        target = given->get<std::string>();
    auto result
        = requireSession()->attention(params.at("source").get<std::string>(), target, jsonread::mask(params, "mask"),
                                      wire::runOptions(params.value("run", json::object())), call.control,
                                      wire::sentenceTree(params.value("tree", json::array())));
    return wire::toWire(std::move(result).valueOrThrow());
}

Answer Server::State::neurons(const Call &call)
{
    const AttentionResult shown = wire::attentionResult({.value = call.params.at("sentence"), .floats = {}});
    const HeadRef head = parseHeadRef(call.params.at("head").get<std::string>()).valueOrThrow();
    return wire::toWire(
        requireSession()->neurons(shown, head, jsonread::mask(call.params, "mask"), call.control).valueOrThrow());
}

Answer Server::State::prunedCard(const Call &call)
{
    return {.value = wire::toWire(
                requireSession()->prunedCard(jsonread::mask(call.params, "mask"), call.control).valueOrThrow())};
}

Answer Server::State::exportPruned(const Call &call)
{
    const ExportSpec spec = wire::exportSpec(call.params);
    const std::filesystem::path folder = call.params.at("folder").get<std::string>();
    return {.value = wire::toWire(requireSession()->exportPruned(spec, folder, call.control).valueOrThrow())};
}

Answer Server::State::exportShared(const Call &call)
{
    const auto spec = wire::anySpec(call.params).as<CollaborateSpec>();
    if (!spec)
        throw Failure(usageError("shared/export needs the options of \"collaborate\"."));
    const std::filesystem::path folder = call.params.at("folder").get<std::string>();
    (void)requireSession()->exportShared(*spec, folder, call.control).valueOrThrow();
    return {.value = json::object()};
}

// How it is computed

std::list<Server::State::Request> Server::State::over()
{
    std::list<Request> gone;
    auto kept = static_cast<std::size_t>(
        std::ranges::count_if(requests, [](const auto &one) { return one.second.answer != nullptr; }));
    for (auto place = requests.begin(); place != requests.end();) {
        Request &request = place->second;
        if (request.answer && request.thread.joinable())
            gone.push_back({nullptr, std::move(request.thread)});
        const bool isOld = request.answer && kept > kMostKept;
        kept -= isOld ? 1 : 0;
        place = isOld ? requests.erase(place) : std::next(place);
    }
    return gone;
}

void Server::State::start(std::int64_t id, Method method, json params)
{
    std::list<Request> gone; // threads are waited for without the lock
    const std::scoped_lock lock(mutex);
    gone = over();
    const auto running = std::ranges::count_if(requests, [](const auto &one) { return !one.second.answer; });
    const auto refuse = [&](const char *why) {
        outbox.put(Outbox::Kind::Answer, id, errorBytes(id, errorObject(kInvalidRequest, why)));
    };
    if (requests.contains(id))
        return refuse("A request with this id was made before, and its answer has not been received.");
    if (static_cast<std::size_t>(running) >= kMostAtOnce)
        return refuse("Too many requests at once.");
    Request &request = requests[id];
    request.thread = std::jthread(
        [this, id, method, given = std::move(params)](const std::stop_token &stop) { work(id, method, given, stop); });
}

void Server::State::work(std::int64_t id, Method method, const json &params, const std::stop_token &stop)
{
    auto last = Clock::time_point();
    PhaseNow phase;
    const auto tell = [&](const Progress &progress) {
        const auto now = Clock::now();
        if (now - last < kProgressEvery && progress.phase == phase)
            return;
        last = now;
        phase = progress.phase;
        outbox.put(Outbox::Kind::Progress, id, newsBytes("$/progress", id, "progress", progressJson(progress)));
    };
    std::string answer;
    try {
        const bool urgent = params.value("urgent", true);
        const JobControl control(
            stop, tell, urgent ? std::function<void()>() : [&] { priority.waitForUrgentWork(stop); });
        const Priority::Urgent passing(priority, urgent);
        answer = answerBytes(id, (this->*method)({id, params, control}));
    } catch (const Cancelled &) {
        answer = errorBytes(id, errorObject(wire::kCancelledCode, "cancelled"));
    } catch (const Failure &failure) {
        answer = errorBytes(id, wire::toWire(failure.error()));
    } catch (const json::exception &exception) {
        answer = errorBytes(id, wire::toWire(usageError("params: " + jsonread::reason(exception))));
    } catch (const std::bad_alloc &) {
        answer = errorBytes(id, wire::toWire(resourceError("There is not enough memory.")));
    } catch (const std::filesystem::filesystem_error &error) {
        answer = errorBytes(id, wire::toWire(fileSystemError(error)));
    } catch (const std::exception &exception) {
        answer = errorBytes(id, wire::toWire(Error{ErrorCode::Internal, exception.what()}));
    }
    finish(id, std::move(answer));
}

void Server::State::finish(std::int64_t id, std::string answer)
{
    const auto bytes = std::make_shared<const std::string>(std::move(answer));
    {
        const std::scoped_lock lock(mutex);
        requests[id].answer = bytes;
    }
    outbox.put(Outbox::Kind::Answer, id, bytes);
}

void Server::State::cancel(std::int64_t id)
{
    const std::scoped_lock lock(mutex);
    if (const auto found = requests.find(id); found != requests.end())
        found->second.thread.request_stop();
}

void Server::State::forget(std::int64_t id)
{
    std::list<Request> gone; // threads are waited for without the lock
    const std::scoped_lock lock(mutex);
    gone = over();
    if (const auto found = requests.find(id); found != requests.end() && found->second.answer)
        requests.erase(found); // its thread is among those
}

json Server::State::unknownOf(const json &ids)
{
    json unknown = json::array();
    const std::scoped_lock lock(mutex);
    for (const json &id : ids) {
        if (!requests.contains(id.get<std::int64_t>()))
            unknown.push_back(id);
    }
    return unknown;
}

void Server::State::resend(const json &ids)
{
    const std::scoped_lock lock(mutex);
    for (const json &id : ids) {
        const auto found = requests.find(id.get<std::int64_t>());
        if (found != requests.end() && found->second.answer)
            outbox.put(Outbox::Kind::Answer, found->first, found->second.answer);
    }
}

// How it is spoken of

/// One channel's worth of messages.
class Server::Conversation
{
public:
    Conversation(State &state, Channel &channel) : m_state(state), m_channel(channel) { }

    /// Whether the client said that it was done.
    bool run()
    {
        FrameReader reader([this](std::span<char> bytes) { return m_channel.read(bytes); }, kLongestRequest);
        std::stop_source isGone;
        std::jthread writer([this, &isGone](const std::stop_token &stop) {
            while (auto bytes = m_state.outbox.take(stop)) {
                if (!m_channel.write(*bytes)) {
                    isGone.request_stop();
                    return m_channel.close();
                }
            }
        });
        bool asked = false;
        try {
            while (!asked && m_state.outbox.waitForRoom(isGone.get_token())) {
                const auto frame = reader.next();
                if (!frame)
                    break;
                asked = !take(*frame);
            }
        } catch (const Failure &failure) { // nothing after it can be read
            (void)m_channel.write(errorBytes(nullptr, errorObject(kParseError, failure.error().message)));
        }
        writer.request_stop();
        m_channel.close();
        return asked;
    }

private:
    void say(std::string bytes) { m_state.outbox.put(Outbox::Kind::Answer, 0, std::move(bytes)); }
    void refuse(const json &id, int code, const std::string &message)
    {
        say(errorBytes(id, errorObject(code, message)));
    }

    /// False: the client is done.
    bool take(const Frame &frame)
    {
        const auto parsed = parseStrictJson(frame.binary ? std::string_view() : frame.bytes, "the message");
        if (!parsed.isOk() || !parsed.value().is_object()) {
            refuse(nullptr, kParseError, parsed.isOk() ? "A message is a JSON object." : parsed.error().message);
            return true;
        }
        const json &message = parsed.value();
        const auto method = message.find("method");
        if (method == message.end() || !method->is_string() || message.value("jsonrpc", json()) != "2.0") {
            refuse(nullptr, kInvalidRequest, "A message has \"jsonrpc\": \"2.0\" and a \"method\".");
            return true;
        }
        const std::string name = method->get<std::string>();
        if (!message.contains("id"))
            return notice(name, paramsOf(message));
        if (!message["id"].is_number_integer()) {
            refuse(nullptr, kInvalidRequest, "The id of a request is a whole number.");
            return true;
        }
        ask(name, message["id"].get<std::int64_t>(), paramsOf(message));
        return true;
    }

    bool notice(const std::string &name, const json &params)
    {
        if (name == "exit")
            return false;
        const json id = params.is_object() ? params.value("id", json()) : json();
        if (id.is_number_integer() && name == "$/cancel")
            m_state.cancel(id.get<std::int64_t>());
        else if (id.is_number_integer() && name == "$/received")
            m_state.forget(id.get<std::int64_t>());
        return true; // others are not for us
    }

    void ask(const std::string &name, std::int64_t id, const json &params)
    {
        if (name == "initialize")
            return greet(id, params);
        if (name == "ping")
            return say(answerBytes(id, {.value = json::object()}));
        if (!m_greeted)
            return refuse(id, kNotInitialized, "The first request is \"initialize\".");
        const auto &methods = State::methods();
        const auto method = methods.find(name);
        if (method == methods.end())
            return refuse(id, kMethodNotFound, fmt::format("There is no method \"{}\".", name.substr(0, 60)));
        m_state.start(id, method->second, params);
    }

    void greet(std::int64_t id, const json &params)
    {
        const json protocol = params.is_object() ? params.value("protocol", json()) : json();
        if (protocol != wire::kProtocol)
            return refuse(
                id, wire::toWire(usageError(""))["code"].get<int>(),
                fmt::format(
                    "This is Headscope {}, which speaks protocol {}, not {}. Use the same version on both machines.",
                    m_state.greeting.version, wire::kProtocol, protocol.dump().substr(0, 20)));
        const json pending = params.value("pending", json::array());
        const auto isId = [](const json &one) { return one.is_number_integer(); };
        if (!pending.is_array() || !std::ranges::all_of(pending, isId))
            return refuse(id, kInvalidRequest, "\"pending\" is a list of ids.");
        m_greeted = true;
        m_state.greeted = true;
        say(answerBytes(id, {.value = {{"protocol", wire::kProtocol},
                                       {"version", m_state.greeting.version},
                                       {"session", m_state.greeting.session},
                                       {"environment", m_state.greeting.environment},
                                       {"unknown", m_state.unknownOf(pending)}}}));
        m_state.resend(pending);
    }

    State &m_state;
    Channel &m_channel;
    bool m_greeted = false;
};

Server::Server(Open open, ServerGreeting greeting)
    : m_state(std::make_unique<State>(std::move(open), std::move(greeting)))
{
}

Server::~Server()
{
    {
        const std::scoped_lock lock(m_state->mutex);
        for (auto &[id, request] : m_state->requests)
            request.thread.request_stop();
    }
    for (auto &[id, request] : m_state->requests) { // no new ones come: no client is connected
        if (request.thread.joinable())
            request.thread.join();
    }
}

bool Server::wasGreeted() const
{
    return m_state->greeted;
}

bool Server::serve(Channel &channel)
{
    {
        std::unique_lock lock(m_state->mutex);
        if (m_state->channel != nullptr)
            m_state->channel->close();
        m_state->channelLeft.wait(lock, [this] { return m_state->channel == nullptr; });
        m_state->channel = &channel;
    }
    m_state->outbox.clear();
    const bool asked = Conversation(*m_state, channel).run();
    {
        const std::scoped_lock lock(m_state->mutex);
        m_state->channel = nullptr;
    }
    m_state->channelLeft.notify_all();
    return asked;
}

} // namespace headscope
