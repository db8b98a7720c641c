#pragma once

namespace headscope::cli {

/// Exit codes; scripts depend on them.
enum ExitCode { kDone = 0, kInternalError = 1, kUsageError = 2, kBadInput = 3, kCancelled = 4 };

/// The whole program `headscope-cli`. Returns its exit code.
int run(int argc, char **argv);

} // namespace headscope::cli
