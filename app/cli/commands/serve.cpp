#include "app/cli/commands/commands.h"

#include "app/cli/context.h"
#include "app/cli/environmentjson.h"
#include "core/base/process.h"
#include "core/remote/serving.h"
#include "core/session/localsession.h"

#include <CLI/CLI.hpp>
#include <headscope/version.h>

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace headscope::cli {

namespace {

struct ServeArguments
{
    std::string resume;
    int keepMinutes = 30;
};

/// Nobody is spoken with through these any more: whoever reads there sees the end, whoever writes an error. The numbers
/// stay taken, so that no file gets them.
void leaveStandardStreams()
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO})
        (void)dup2(nothing, descriptor);
    (void)close(nothing);
}

void run(const ServeArguments &arguments, Context &context)
{
    ignoreBrokenPipes();
    if (!arguments.resume.empty()) {
        (void)relay(arguments.resume, STDIN_FILENO, STDOUT_FILENO, context.stop()).valueOrThrow();
        return;
    }
    ServerGreeting greeting{
        .version = HEADSCOPE_VERSION, .session = newSessionName(), .environment = environmentJson()};
    ReconnectSocket place(greeting.session);
    if (!place.problem().empty() && arguments.keepMinutes > 0)
        context.note("a client whose connection is lost will not be able to come again: " + place.problem());
    const auto open = [](const std::filesystem::path &folder, ModelOptions options, const JobControl &control) {
        options.workFolder = usualWorkFolder(); // of this machine
        return openLocalSession(folder, options, control);
    };
    Server server(open, std::move(greeting));
    serve(server, place, std::make_unique<Channel>(STDIN_FILENO, STDOUT_FILENO),
          {.keep = std::chrono::minutes(arguments.keepMinutes), .leave = leaveStandardStreams}, context.stop());
}

} // namespace

void addServeCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<ServeArguments>();
    CLI::App *command
        = app.add_subcommand("serve", "Compute for a window on another machine, over standard input and output");
    command
        ->add_option("--keep", arguments->keepMinutes,
                     "Minutes to wait for a client whose connection was "
                     "lost")
        ->check(CLI::Range(0, 7 * 24 * 60))
        ->capture_default_str();
    command->add_option("--resume", arguments->resume,
                        "Reconnect to the session of that name, which is waiting "
                        "on this machine");
    command->footer(
        "The window starts this command itself: headscope --host HOST MODEL. No port is opened: messages pass "
        "through\n"
        "ssh, or whatever command started it. Messages: core/remote/PROTOCOL.md.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
