#include "app/cli/cli.h"

#include "app/cli/commands/commands.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headscope/version.h>

#include <cstdio>
#include <exception>
#include <new>

namespace headscope::cli {

namespace {

int exitCodeOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Usage:
        return kUsageError;
    case ErrorCode::BadInput:
    case ErrorCode::Resource: // a folder that cannot be written, a device that is not there
        return kBadInput;
    case ErrorCode::Internal:
        break;
    }
    return kInternalError;
}

int fail(int code, const std::string &message)
{
    fmt::print(stderr, "headscope-cli: {}\n", message);
    return code;
}

int runCommand(const CommandFunction &command, const Interrupt &interrupt)
{
    try {
        Context context(interrupt.token());
        command(context);
        return kDone;
    } catch (const Cancelled &) {
        return fail(kCancelled, "cancelled");
    } catch (const Failure &failure) {
        return fail(exitCodeOf(failure.error().code), failure.error().message);
    } catch (const std::bad_alloc &) {
        return fail(kInternalError, "not enough memory; try a smaller --batch-tokens or --limit");
    } catch (const std::exception &error) {
        return fail(kInternalError, fmt::format("internal error: {}", error.what()));
    }
}

} // namespace

int run(int argc, char **argv)
{
    const Interrupt interrupt; // before any thread: they inherit its signal mask
    CLI::App app("Headscope finds out what the attention heads of a trained Transformer do, and which of them are "
                 "needed.",
                 "headscope-cli");
    app.set_version_flag("--version", "headscope-cli " HEADSCOPE_VERSION);
    app.footer("Results go to --out or standard output, progress to standard error.\n"
               "Exit codes: 0 done, 1 internal error, 2 usage, 3 bad input, 4 cancelled (what is complete is kept).");
    CommandFunction command;
    addInspectCommand(app, command);
    addPredictCommand(app, command);
    addEvaluateCommand(app, command);
    addAblateCommand(app, command);
    addPruneCommand(app, command);
    addRolesCommand(app, command);
    addDynamicsCommand(app, command);
    addCollaborateCommand(app, command);
    addAnalysisCommands(app, command);
    addAttentionCommand(app, command);
    addCompareCommand(app, command);
#ifdef HEADSCOPE_HAS_REPORT
    addReportCommand(app, command);
#endif
    addMergeCommand(app, command);
    addTrainCommand(app, command);
    addGateCommands(app, command);
    addDemoCommand(app, command);
    try {
        checkUtf8(argc, argv);
        app.parse(argc, argv);
        // Not by require_subcommand(): that would hide which word was not understood.
        if (!command) {
            std::vector<std::string> names;
            for (const CLI::App *one : app.get_subcommands({}))
                names.push_back(one->get_name());
            throw CLI::RequiredError(fmt::format("A command ({})", fmt::join(names, ", ")));
        }
    } catch (const CLI::Success &asked) { // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError &error) {
        app.exit(error);
        return kUsageError;
    }
    return runCommand(command, interrupt);
}

} // namespace headscope::cli
