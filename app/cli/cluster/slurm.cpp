#include "app/cli/cluster/slurm.h"

#include "app/cli/childprocess.h"
#include "core/base/parsednumber.h"
#include "core/base/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <sstream>
#include <string_view>

namespace headscope::cli {

namespace {

constexpr std::chrono::seconds kAnswerTime(60); // controllers of large clusters are slow at times

std::vector<std::string> fieldsOf(const std::string &line)
{
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, '|');)
        fields.push_back(field);
    return fields;
}

/// The last words of a program of Slurm's, on one line.
std::string complaint(const ProgramAnswer &answer)
{
    std::string text = answer.err.empty() ? answer.out : answer.err;
    std::ranges::replace(text, '\n', ' ');
    while (!text.empty() && text.back() == ' ')
        text.pop_back();
    return text.empty() ? fmt::format("exit code {}", answer.code) : text;
}

/// Whether Slurm's programs say that they could not speak with the controller, which is not what they say of jobs that
/// it refuses (slurm_errno and the texts of its communication layer).
bool isOutage(const std::string &text)
{
    constexpr std::array<std::string_view, 8> kTexts{"timed out",          "Unable to contact slurm controller",
                                                     "Connection refused", "Connection reset",
                                                     "temporarily unable", "Resource temporarily unavailable",
                                                     "Zero Bytes",         "Communication connection failure"};
    return std::ranges::any_of(kTexts, [&](std::string_view one) { return text.find(one) != std::string::npos; });
}

/// "CANCELLED by 1000" and "COMPLETED+" begin with the state.
std::string stateFrom(const std::string &text)
{
    return text.substr(0, text.find_first_of(" +"));
}

} // namespace

std::vector<SlurmTask> parseQueue(const std::string &text)
{
    std::vector<SlurmTask> tasks;
    const std::size_t end = text.rfind('\n'); // what follows was cut off somewhere
    std::istringstream lines(text.substr(0, end == std::string::npos ? 0 : end));
    for (std::string line; std::getline(lines, line);) {
        const auto fields = fieldsOf(line);
        const auto job = fields.size() >= 3 ? parsedNumber<std::int64_t>(fields[0]) : std::nullopt;
        const auto task = job ? parsedNumber<std::int64_t>(fields[1]) : std::nullopt;
        if (task)
            tasks.push_back({*job, *task, stateFrom(fields[2]), fields.size() > 3 ? fields[3] : std::string()});
    }
    return tasks;
}

std::optional<std::string> optionOfSbatch(const std::vector<std::string> &options, std::string_view longName,
                                          std::string_view shortName)
{
    std::optional<std::string> value;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string &word = options[i];
        if (word == longName || word == shortName) {
            if (++i < options.size())
                value = options[i];
        } else if (word.starts_with(longName) && word[longName.size()] == '=') {
            value = word.substr(longName.size() + 1);
        } else if (!word.starts_with("--") && word.starts_with(shortName)) {
            value = word.substr(shortName.size());
        }
    }
    return value;
}

bool isWaiting(const std::string &state)
{
    constexpr std::array<std::string_view, 5> kStates{"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED",
                                                      "SPECIAL_EXIT"};
    return std::ranges::find(kStates, state) != kStates.end();
}

bool isUnderWay(const std::string &state)
{
    constexpr std::array<std::string_view, 8> kStates{"CONFIGURING", "RUNNING",  "COMPLETING", "SUSPENDED",
                                                      "STOPPED",     "RESIZING", "SIGNALING",  "STAGE_OUT"};
    return std::ranges::find(kStates, state) != kStates.end();
}

bool isOver(const std::string &state)
{
    constexpr std::array<std::string_view, 12> kStates{"COMPLETED", "CANCELLED", "FAILED",        "NODE_FAIL",
                                                       "BOOT_FAIL", "TIMEOUT",   "DEADLINE",      "OUT_OF_MEMORY",
                                                       "PREEMPTED", "REVOKED",   "LAUNCH_FAILED", "RECONFIG_FAIL"};
    return std::ranges::find(kStates, state) != kStates.end();
}

std::int64_t Slurm::submit(const std::filesystem::path &script, const std::vector<std::int64_t> &tasks,
                           const std::filesystem::path &log, const std::vector<std::string> &options) const
{
    std::vector<std::string> words{"sbatch"};
    words.insert(words.end(), options.begin(), options.end());
    // A node that fails is seen here, and its task submitted again as often as was said.
    for (const std::string &word :
         {std::string("--parsable"), std::string("--no-requeue"), std::string("--open-mode=append"),
          "--job-name=" + m_jobName, "--output=" + log.string(), "--error=" + log.string(),
          "--chdir=" + std::filesystem::current_path().string(), fmt::format("--array={}", fmt::join(tasks, ",")),
          script.string()})
        words.push_back(word);
    const ProgramAnswer answer
        = runProgram(words, kAnswerTime); // not stopped: what it submits could not be told from other jobs
    const std::size_t end = answer.out.find_first_of(";\n");
    const auto job = end == std::string::npos ? std::nullopt : parsedNumber<std::int64_t>(answer.out.substr(0, end));
    if (answer.code == 0 && job)
        return *job;
    const Error error
        = resourceError(fmt::format("sbatch did not take the jobs ({}): {}", fmt::join(words, " "), complaint(answer)));
    if (isOutage(complaint(answer)) || (answer.code == 0 && end == std::string::npos))
        throw NoAnswer(error);
    throw Failure(error);
}

std::vector<SlurmTask> Slurm::queue(const std::stop_token &stop) const
{
    const ProgramAnswer answer
        = runProgram({"squeue", "--noheader", "--array", "--states=all", "--name=" + m_jobName, "--format=%F|%K|%T|%N"},
                     kAnswerTime, stop);
    if (answer.code != 0)
        throw NoAnswer(resourceError("squeue: " + complaint(answer)));
    return parseQueue(answer.out);
}

std::optional<SlurmTask> Slurm::accounted(std::int64_t job, std::int64_t task, const std::stop_token &stop) const
{
    try {
        const ProgramAnswer answer = runProgram({"sacct", "--noheader", "--parsable2", "--allocations",
                                                 "--format=State,NodeList", fmt::format("--jobs={}_{}", job, task)},
                                                kAnswerTime, stop);
        const std::size_t end = answer.out.find('\n');
        const auto fields = fieldsOf(answer.out.substr(0, end == std::string::npos ? 0 : end));
        if (answer.code == 0 && !fields.empty() && !fields.front().empty())
            return SlurmTask{job, task, stateFrom(fields.front()), fields.size() > 1 ? fields[1] : std::string()};
    } catch (const Failure &) { // treated as no accounting
    }
    return std::nullopt;
}

std::set<std::string> Slurm::usableNodes(const std::vector<std::string> &options, const std::stop_token &stop) const
{
    const auto ask = [&](const std::vector<std::string> &more) {
        std::vector<std::string> words{"sinfo", "--noheader", "--Node", "--format=%N"};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramAnswer answer = runProgram(words, kAnswerTime, stop);
        std::set<std::string> nodes;
        std::istringstream lines(answer.code == 0 ? answer.out : std::string());
        for (std::string line; std::getline(lines, line);) {
            line.erase(line.find_last_not_of(' ') + 1);
            if (!line.empty())
                nodes.insert(line);
        }
        return nodes;
    };
    try {
        std::vector<std::string> which{"--states=idle,mixed,allocated,completing"};
        if (const auto partition = optionOfSbatch(options, "--partition", "-p"))
            which.push_back("--partition=" + *partition);
        std::set<std::string> nodes = ask(which);
        if (const auto excluded = optionOfSbatch(options, "--exclude", "-x")) {
            for (const std::string &node : ask({"--nodes=" + *excluded}))
                nodes.erase(node);
        }
        return nodes;
    } catch (const Failure &) { // no sinfo: nothing is known
        return {};
    }
}

void Slurm::cancelAll() const noexcept
{
    try {
        (void)runProgram({"scancel", "--name=" + m_jobName}, kAnswerTime);
    } catch (const std::exception &) { // the caller is already ending
    }
}

} // namespace headscope::cli
