#include "core/analysis/evaluationspec.h"
#include "core/base/childprogram.h"
#include "core/base/process.h"
#include "core/remote/channel.h"
#include "core/results/attentionresult.h"
#include "core/results/evaluationresult.h"
#include "core/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

/// What a window waits for when its core is on another machine, beside the same here. The way there takes MS
/// milliseconds in each direction, whatever comes on it (no bandwidth is taken away).
///
///     headscope-remotebench MODEL_DIR SOURCE REFERENCE [MS [HOST]]
///
/// HOST: as --host takes it; usually headscope-cli beside this program.
using namespace headscope;

namespace {

using Clock = std::chrono::steady_clock;

/// Passes bytes on, each after the delay.
void passLater(Channel &channel, std::chrono::milliseconds delay)
{
    struct Part
    {
        Clock::time_point due;
        std::string bytes;
    };
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Part> parts;
    bool ended = false;
    std::thread writer([&] {
        for (;;) {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return ended || !parts.empty(); });
            if (parts.empty())
                return;
            Part part = std::move(parts.front());
            parts.pop_front();
            lock.unlock();
            std::this_thread::sleep_until(part.due);
            if (!channel.write(part.bytes))
                return;
        }
    });
    std::array<char, 65536> bytes{};
    for (std::size_t got = channel.read(bytes); got > 0; got = channel.read(bytes)) {
        const std::scoped_lock lock(mutex);
        parts.push_back({Clock::now() + delay, std::string(bytes.data(), got)});
        changed.notify_all();
    }
    {
        const std::scoped_lock lock(mutex);
        ended = true;
        changed.notify_all();
    }
    writer.join();
    channel.close();
}

/// This program as the way to another: remotebench --way MS COMMAND…
int way(std::chrono::milliseconds delay, const std::vector<std::string> &command)
{
    ignoreBrokenPipes();
    ChildProgram child(command);
    Channel there(STDIN_FILENO, child.in().writeEnd());
    Channel back(child.out().readEnd(), STDOUT_FILENO);
    std::thread going([&] {
        passLater(there, delay);
        child.in().closeWrite();
    });
    passLater(back, delay);
    there.close();
    going.join();
    return child.wait();
}

template<typename Work>
double milliseconds(Work &&work)
{
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Times
{
    double open = 0;
    double data = 0;
    double click = 0; ///< until the first estimate of the score under another mask
    double score = 0; ///< until the score
};

Times measure(const std::string &model, const DataSource &data, const std::string &host)
{
    constexpr int kClicks = 9;
    Times times;
    std::shared_ptr<Session> session;
    times.open = milliseconds([&] { session = Session::open(model, {.host = host}, {}).valueOrThrow(); });
    times.data = milliseconds([&] { (void)session->setData(Domain::In, data, {}).valueOrThrow(); });
    EvaluationSpec spec;
    spec.run.decoding.beams = 1;
    (void)session->run(Domain::In, spec, {}).valueOrThrow();
    std::vector<double> first;
    std::vector<double> last;
    const std::vector<HeadRef> heads = session->card().layout.heads();
    for (int i = 0; i < kClicks; ++i) {
        spec.mask.set(heads[static_cast<std::size_t>(i) * heads.size() / kClicks], true);
        const auto start = Clock::now();
        double estimate = 0;
        last.push_back(milliseconds([&] {
            (void)session
                ->run(Domain::In, spec, {},
                      [&](const EvaluationResult &) {
                          if (estimate == 0)
                              estimate = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
                      })
                .valueOrThrow();
        }));
        first.push_back(estimate > 0 ? estimate : last.back());
    }
    times.click = median(first);
    times.score = median(last);
    return times;
}

/// Attention of 16 heads on 512 tokens.
double largeMap(const std::string &folder, const std::string &host)
{
    const auto session = Session::open(folder, {.host = host}, {}).valueOrThrow();
    std::string text;
    for (int i = 0; i < 600; ++i) // more than fit
        text += "the ";
    (void)session->attention("the", "", {}, {}, {}).valueOrThrow();
    std::size_t numbers = 0;
    const double time = milliseconds([&] {
        for (const AttentionMap &map : session->attention(text, "", {}, {}, {}).valueOrThrow().maps)
            numbers += map.weights.size();
    });
    fmt::print("{:>12} numbers of attention {:8.0f}\n", numbers, time);
    return time;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (words.size() > 2 && words[0] == "--way")
            return way(std::chrono::milliseconds(std::atoi(words[1].c_str())), {words.begin() + 2, words.end()});
        if (words.size() < 3) {
            fmt::print(stderr, "headscope-remotebench MODEL_DIR SOURCE REFERENCE [MS [HOST]]\n");
            return 2;
        }
        const std::string own = argv[0];
        const std::string beside = own.substr(0, own.rfind('/') + 1) + "headscope-cli";
        const std::string host = fmt::format("{} --way {} {}", own, words.size() > 3 ? words[3] : "25",
                                             words.size() > 4 ? words[4] : beside);
        DataSource data;
        data.source = words[1];
        data.reference = words[2];
        const Times here = measure(words[0], data, {});
        const Times there = measure(words[0], data, host);
        fmt::print("milliseconds              here    there     more\n");
        const auto line = [](const char *what, double a, double b) {
            fmt::print("{:<20}{:10.0f}{:9.0f}{:9.0f}\n", what, a, b, b - a);
        };
        line("open", here.open, there.open);
        line("data", here.data, there.data);
        line("click, estimate", here.click, there.click);
        line("click, score", here.score, there.score);
        (void)largeMap(words[0], {});
        (void)largeMap(words[0], host);
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
