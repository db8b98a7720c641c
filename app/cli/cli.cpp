#include "app/cli/cli.h"

#include "app/cli/commandline.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "core/base/filesystemerror.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <utility>
#include <vector>

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

int runCommand(const CommandFunction &command, std::vector<std::string> words, ProgressForm form,
               const Interrupt &interrupt)
{
    const auto fail = [form](int code, const std::string &message) {
        if (form == ProgressForm::Json)
            writeJsonLine({{"error", message}});
        else
            fmt::print(stderr, "headscope-cli: {}\n", message);
        return code;
    };
    try {
        Context context(interrupt.token(), std::move(words), form);
        command(context);
        return kDone;
    } catch (const Cancelled &) {
        return fail(kCancelled, "cancelled");
    } catch (const Failure &failure) {
        return fail(exitCodeOf(failure.error().code), failure.error().message);
    } catch (const std::bad_alloc &) {
        return fail(kInternalError, "not enough memory; try a smaller --batch-tokens or --limit");
    } catch (const std::filesystem::filesystem_error &error) {
        return fail(kBadInput, fileSystemError(error).message);
    } catch (const std::exception &error) {
        return fail(kInternalError, fmt::format("internal error: {}", error.what()));
    }
}

} // namespace

int run(int argc, char **argv)
{
    const Interrupt interrupt; // before any thread: they inherit its signal mask
    CommandLine line;
    CommandFunction command;
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    try {
        checkUtf8(words);
        command = line.parsed(words);
    } catch (const CLI::Success &asked) { // --help, --version
        return line.exit(asked);
    } catch (const CLI::ParseError &error) {
        (void)line.exit(error);
        return kUsageError;
    }
    return runCommand(command, std::move(words), line.progressForm(), interrupt);
}

} // namespace headscope::cli
