#pragma once

#include "app/cli/cluster/clusterfolder.h"
#include "app/cli/cluster/slurm.h"
#include "app/cli/context.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::cli {

/// Sees parts of a dealt command through: submits those that are not done, nor waiting or running since an earlier
/// call, watches them, and submits again what failed: not to a node that failed under them.
class ShardWatcher
{
public:
    struct Parts
    {
        std::vector<std::int64_t> numbers; ///< ClusterFolder's
        std::filesystem::path script;
        std::filesystem::path log;
        PhaseNow phase;                                   ///< of progress
        std::function<double(std::int64_t part)> share{}; ///< of a running part that is done, 0 … 1
        std::function<bool(std::int64_t part)>
            isUnderWay{}; ///< whether it has kept anything: what is refused at once fails for good
    };

    /// `retries`: how often a part may be submitted again.
    ShardWatcher(const Slurm &slurm, const ClusterFolder &folder, std::vector<std::string> options,
                 std::int64_t retries, Context &context);

    /// Returns when all parts are done. Throws Failure, once nothing more can be done, with what became of the parts
    /// that are not, and Cancelled, after everything was cancelled.
    void run(const Parts &parts);

private:
    using Clock = std::chrono::steady_clock;
    enum class State { ToSubmit, Queued, Running, Done, Lost };
    struct Part
    {
        std::int64_t number = 0;
        State state = State::ToSubmit;
        std::int64_t job = 0;
        std::int64_t failures = 0;
        std::string node{};
        std::string lastFailure{};    ///< the latest
        Clock::time_point lastSeen{}; ///< of it in the queue
        bool hasFailed = false;       ///< as the queue says of its job, which has written no status yet
    };

    void watch();
    void resumeParts();
    void submit();
    std::int64_t submitted(const std::vector<std::int64_t> &numbers);
    std::vector<SlurmTask> queue();
    /// The answer of `ask`, asked again for minutes, ever more slowly, where Slurm does not answer. Throws NoAnswer in
    /// the end.
    template<typename Ask>
    auto patiently(Ask ask);
    void readStatuses();
    void readQueue();
    void onTask(Part &part, const SlurmTask &task);
    void onMissing(Part &part);
    void fail(Part &part, const std::string &why, bool forGood);
    void countNodeFailure(const Part &part, bool nodeFailed);
    std::vector<std::string> submitOptions() const;
    void showProgress() const;
    void pause(std::chrono::milliseconds time) const;
    bool isOver() const;
    [[noreturn]] void throwFailure() const;
    std::string nameOf(const Part &part) const;

    const Slurm &m_slurm;
    const ClusterFolder &m_folder;
    std::vector<std::string> m_options;
    std::int64_t m_retries;
    Context &m_context;
    const Parts *m_parts = nullptr;
    std::vector<Part> m_all;
    std::map<std::string, std::set<std::int64_t>> m_failedOn; ///< parts by the node that they failed on
    std::set<std::string> m_avoided;                          ///< nodes that nothing more is submitted to
    Clock::time_point m_nextQueue{};
    std::int64_t m_latestJob = 0; ///< that was seen in the queue or submitted
    bool m_queueAnswers = true;
};

} // namespace headscope::cli
