#include "app/cli/childprocess.h"

#include "core/base/childprogram.h"

#include <fmt/format.h>

#include <array>
#include <poll.h>

namespace headscope::cli {

ProgramAnswer runProgram(const std::vector<std::string> &words, std::chrono::seconds limit, const std::stop_token &stop)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kLookMs = 20; // how soon a stop is seen
    ChildProgram child(words);
    child.in().closeWrite();
    Pipe &out = child.out();
    Pipe &err = child.err();
    ProgramAnswer answer;
    const auto end = Clock::now() + limit;
    while (out.readEnd() >= 0 || err.readEnd() >= 0) {
        std::array<pollfd, 2> watched{pollfd{out.readEnd(), POLLIN, 0}, pollfd{err.readEnd(), POLLIN, 0}};
        poll(watched.data(), watched.size(), kLookMs);
        if (stop.stop_requested())
            throw Cancelled();
        if (Clock::now() > end)
            throw NoAnswer(
                resourceError(fmt::format("{} has not answered for {} seconds.", words.front(), limit.count())));
        if (watched[0].revents != 0)
            out.drain(answer.out);
        if (watched[1].revents != 0)
            err.drain(answer.err);
    }
    answer.code = child.wait();
    return answer;
}

} // namespace headscope::cli
