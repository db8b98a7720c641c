#include "core/remote/serving.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace headscope {

namespace {

/// Who speaks with the server: each visitor on a thread of its own.
class Visitors
{
public:
    explicit Visitors(Server &server) : m_server(server) { }
    ~Visitors()
    {
        for (Visitor &visitor : m_visitors) { // no client connects any more
            visitor.channel->close();
            visitor.thread.join();
        }
    }
    Visitors(const Visitors &) = delete;
    Visitors &operator=(const Visitors &) = delete;

    /// `leave`: done after the visit.
    void welcome(std::unique_ptr<Channel> channel, std::function<void()> leave)
    {
        const std::scoped_lock lock(m_mutex);
        ++m_present;
        Channel &its = *channel;
        m_visitors.push_back({std::move(channel), {}});
        m_visitors.back().thread = std::thread([this, &its, done = std::move(leave)] {
            const bool asked = m_server.serve(its);
            done();
            const std::scoped_lock left(m_mutex);
            --m_present;
            m_done = m_done || asked;
            m_left = std::chrono::steady_clock::now();
            m_changed.notify_all();
        });
    }

    /// As serve() says.
    void waitForEnd(const Keeping &keeping, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        const auto end = std::chrono::steady_clock::now() + keeping.greeting;
        constexpr std::chrono::milliseconds kLook(100); // at whether somebody has said who it is
        while (!m_server.wasGreeted()) {
            (void)m_changed.wait_for(lock, stop, kLook, [this] { return m_done || m_present == 0; });
            const bool isOver
                = m_done || m_present == 0 || stop.stop_requested() || std::chrono::steady_clock::now() > end;
            if (isOver && !m_server.wasGreeted())
                return;
        }
        while (!m_done && !stop.stop_requested()) {
            if (m_present > 0)
                m_changed.wait(lock, stop, [this] { return m_done || m_present == 0; });
            else if (!m_changed.wait_until(lock, stop, m_left + keeping.keep,
                                           [this] { return m_done || m_present > 0; }))
                return;
        }
    }

private:
    struct Visitor
    {
        std::unique_ptr<Channel> channel;
        std::thread thread;
    };
    Server &m_server;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::list<Visitor> m_visitors;
    int m_present = 0;
    bool m_done = false;
    std::chrono::steady_clock::time_point m_left;
};

} // namespace

void serve(Server &server, ReconnectSocket &place, std::unique_ptr<Channel> channel, const Keeping &keeping,
           const std::stop_token &stop)
{
    Visitors visitors(server);
    visitors.welcome(std::move(channel), keeping.leave);
    std::thread door([&] {
        for (int descriptor = place.accept(); descriptor >= 0; descriptor = place.accept())
            visitors.welcome(std::make_unique<Channel>(descriptor, descriptor), [descriptor] { ::close(descriptor); });
    });
    visitors.waitForEnd(keeping, stop);
    place.close();
    door.join();
}

Result<Done> relay(const std::string &session, int in, int out, const std::stop_token &stop)
{
    const auto met = meet(session);
    if (!met.isOk())
        return met.error();
    const int there = met.value();
    Channel coming(in, there);
    Channel going(there, out);
    const auto pass = [](Channel &channel, Channel &other) {
        std::array<char, 65536> bytes{};
        for (std::size_t got = channel.read(bytes); got > 0; got = channel.read(bytes)) {
            if (!channel.write({bytes.data(), got}))
                break;
        }
        channel.close();
        other.close(); // one way alone is of no use
    };
    const std::stop_callback stopped(stop, [&] {
        coming.close();
        going.close();
    });
    std::thread back([&] { pass(going, coming); });
    pass(coming, going);
    back.join();
    close(there);
    return Done{};
}

} // namespace headscope
