#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

/// A task of an array of jobs, as Slurm knows it.
struct SlurmTask
{
    std::int64_t job = 0; ///< of the array
    std::int64_t task = 0;
    std::string state; ///< "PENDING", "RUNNING", "NODE_FAIL", …
    std::string node;  ///< where it runs or ran; empty: nowhere yet
};

/// The arrays of one name in Slurm, by its own programs (sbatch, squeue, sacct, scancel). Nothing goes through a shell.
class Slurm
{
public:
    explicit Slurm(std::string jobName) : m_jobName(std::move(jobName)) { }

    /// An array of these tasks of `script`; `log` may hold %a, the task's number. Returns the array's job. Throws
    /// Failure with what sbatch says, NoAnswer where the controller did not answer it: the array may be there then.
    std::int64_t submit(const std::filesystem::path &script, const std::vector<std::int64_t> &tasks,
                        const std::filesystem::path &log, const std::vector<std::string> &options) const;
    /// All tasks that squeue still tells of, also those that have ended a while ago. Throws Failure (there is no
    /// squeue), NoAnswer and Cancelled.
    std::vector<SlurmTask> queue(const std::stop_token &stop) const;
    /// The accounting's record of a task; none where there is no accounting. Throws Cancelled.
    std::optional<SlurmTask> accounted(std::int64_t job, std::int64_t task, const std::stop_token &stop) const;
    /// The nodes on which jobs with these options of sbatch can run now or later, without those that `options` exclude.
    /// Empty: sinfo does not say. Throws Cancelled.
    std::set<std::string> usableNodes(const std::vector<std::string> &options, const std::stop_token &stop) const;
    /// Cancels everything of this name; never throws.
    void cancelAll() const noexcept;

private:
    std::string m_jobName;
};

/// squeue's lines "array job|task|state|nodes"; others are left out, and so is a last one that does not end.
std::vector<SlurmTask> parseQueue(const std::string &text);

/// The value that sbatch takes from `options` for its option `longName` ("--exclude") or `shortName` ("-x"): of several
/// the last; none: nothing.
std::optional<std::string> optionOfSbatch(const std::vector<std::string> &options, std::string_view longName,
                                          std::string_view shortName);

/// Whether a task in this state waits, or runs (or is just beginning or ending): it has not come to its end.
bool isWaiting(const std::string &state);
bool isUnderWay(const std::string &state);
/// Whether a task in this state has come to its end. Of a state that none of the three knows nothing follows: another
/// version of Slurm has more of them, and an answer can be cut.
bool isOver(const std::string &state);

} // namespace headscope::cli
