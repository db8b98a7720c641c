#pragma once

#include "app/cli/cluster/clusterfolder.h"
#include "app/cli/output.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

/// Commands with --shard on a cluster: every shard is a task of an array of jobs, and so is the end, where the result
/// is made of all of them, on such a machine as theirs.
namespace headscope::cli {

struct ClusterArguments
{
    std::string system; ///< "slurm"; empty: none
    std::int64_t shards = 0;
    std::string options; ///< of sbatch, as a shell would split them
    std::string folder;
    std::int64_t retries = 3;

    bool isAsked() const { return !system.empty(); }
};

/// --cluster and its other options.
void addClusterOptions(CLI::App &command, ClusterArguments &arguments);
/// Whether they fit together. Throws Failure.
void checkCluster(const ClusterArguments &arguments);

/// A command's description of its parts; the words of the call itself are theirs, too.
struct ShardedParts
{
    std::vector<std::string> shardWords{};               ///< beside --shard K/N
    std::vector<std::string> endWords{};                 ///< beside --out
    std::function<void()> join = [] {};                  ///< before the end, here
    std::function<double(std::int64_t part)> share{};    ///< of a running shard that is done, 0 … 1
    std::function<bool(std::int64_t part)> isUnderWay{}; ///< whether a shard has kept anything
};

/// Runs this call's command as so many shards, and writes its result as it would itself. `partsIn` says what they are
/// in that folder. A second call goes on. Throws Failure and Cancelled.
void runOnCluster(const ClusterArguments &arguments, const OutputArguments &output, Context &context,
                  const std::function<ShardedParts(const ClusterFolder &)> &partsIn);

/// The share that the last progress in these lines of a log tells, counted in `unit`s; 0: they tell none.
double progressShare(const std::vector<std::string> &log, const std::string &unit);

} // namespace headscope::cli
