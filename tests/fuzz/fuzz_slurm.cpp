#include "app/cli/cluster/slurm.h"
#include "app/cli/progresstext.h"
#include "core/base/phases.h"
#include "core/base/result.h"
#include "core/base/shellwords.h"
#include "tests/fuzz/fuzzing.h"

#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::cli;

/// What Slurm's programs print, and what stands in the logs of jobs and in --cluster-options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(fuzzing::textOf(data, size));
    const auto tasks = parseQueue(text);
    for (const SlurmTask &task : tasks) {
        const int kinds
            = (isWaiting(task.state) ? 1 : 0) + (isUnderWay(task.state) ? 1 : 0) + (isOver(task.state) ? 1 : 0);
        fuzzing::require(kinds <= 1, "a state is of one kind");
        fuzzing::require(task.node.find('\n') == std::string::npos, "a node is on one line");
    }
    // A last line that does not end says nothing.
    const auto more = parseQueue(text + "9");
    const std::size_t end = text.rfind('\n');
    const auto whole = parseQueue(text.substr(0, end == std::string::npos ? 0 : end + 1));
    fuzzing::require(more.size() == whole.size(), "what is cut is left out");
    if (const auto progress = progressFrom(text, kCommonPhases))
        fuzzing::require(progress->phase.id() == text.substr(0, text.rfind(": ")), "a phase comes before the numbers");
    try {
        const std::vector<std::string> words = shellWords(text, "options");
        (void)optionOfSbatch(words, "--exclude", "-x");
        // Words written for a shell are read as the same words.
        std::string quoted;
        for (const std::string &word : words)
            quoted += (quoted.empty() ? "" : " ") + shellQuoted(word);
        fuzzing::require(shellWords(quoted, "options") == words, "quoted words come back");
    } catch (const Failure &failure) {
        fuzzing::require(!failure.error().message.empty(), "a refusal says why");
    }
    return 0;
}
