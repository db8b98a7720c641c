#pragma once

#include "core/base/shard.h"

#include <string>

namespace CLI {
class App;
}

/// Commands that run as parts, on as many machines as one likes.
namespace headscope::cli {

void addShardOption(CLI::App &command, std::string &shard, const char *help);

/// "2/8": the second of eight. "mpi": this process's rank among those that mpirun or srun started, told by the
/// variables that they set; empty: all of it. Throws Failure.
Shard parseShard(const std::string &text);

/// A file's name with the number of the shard for {shard}. Throws Failure where there are several shards by mpi, which
/// get the same words, and the name is the same for all of them; the error names `option`.
std::string fileOfShard(const std::string &name, const Shard &shard, const std::string &asked, const char *option);

} // namespace headscope::cli
