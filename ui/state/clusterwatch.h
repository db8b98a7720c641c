#pragma once

#include "core/base/childprogram.h"
#include "core/base/jobcontrol.h"
#include "core/results/anyresult.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// headscope-cli as a child that sees a sweep on a cluster through; without the GUI thread.
namespace headscope {

/// How the shards of a sweep stand; all zero: nothing is known yet.
struct ClusterShards
{
    int of = 0;
    int done = 0;
    int running = 0;
    int waiting = 0;
    int lost = 0; ///< not submitted again
};

/// What has been told of a sweep so far.
struct ClusterReport
{
    ClusterShards shards{};
    std::vector<std::string> lines{};  ///< the latest of what it said, newest last
    std::optional<AnyResult> result{}; ///< once it is there
};

/// The child process of one sweep, which may outlive this program.
struct ClusterChild
{
    std::shared_ptr<ChildProgram> program; ///< the job's that watches it, then that of the job that cancels
    /// The child is ended when the job is cancelled, and the cluster's jobs go on; else they are cancelled with it.
    std::atomic<bool> leaves{false};
};

/// Runs `words` (with --progress json and --out `result`) in `folder`, which is made, until it ends, and reads the
/// result. When cancelled it returns at once, and the child has been asked to stop unless it is left. Errors: what the
/// child said, with `folder`.
Result<ClusterReport> watchCluster(const std::vector<std::string> &words, const std::filesystem::path &folder,
                                   const std::filesystem::path &result, ClusterChild &child, const JobControl &control,
                                   const Publish<ClusterReport> &publish);

/// Waits until a child that was asked to stop has cancelled what it had on the cluster. Errors: it does not answer.
Result<Done> awaitEnd(ClusterChild &child);

} // namespace headscope
