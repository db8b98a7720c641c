#pragma once

#include "core/base/result.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::cli {

/// The output of a program, and how it ended: its exit code, or 128 and the signal.
struct ProgramAnswer
{
    int code = 0;
    std::string out;
    std::string err;
};

/// Thrown where a program runs, but does not answer as it should: it may another time.
class NoAnswer : public Failure
{
public:
    using Failure::Failure;
};

/// Runs a program that PATH finds, with these words as they are (no shell), without input, and in a process group of
/// its own: Ctrl-C in the terminal reaches this program alone. Throws Cancelled once `stop` is requested, which ends
/// the program, Failure where it cannot be started, and NoAnswer where it takes longer than `limit`.
ProgramAnswer runProgram(const std::vector<std::string> &words, std::chrono::seconds limit,
                         const std::stop_token &stop = {});

} // namespace headscope::cli
