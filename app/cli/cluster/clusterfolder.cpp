#include "app/cli/cluster/clusterfolder.h"

#include "core/base/result.h"
#include "core/base/shellwords.h"
#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;
using UnorderedJson = nlohmann::json;

constexpr const char *kFormat = "headscope-cluster";
constexpr int kVersion = 1;

UnorderedJson toJson(const ShardedCommand &command)
{
    return {{"format", kFormat},
            {"version", kVersion},
            {"words", command.words},
            {"working_folder", command.workingFolder},
            {"shards", command.shards}};
}

} // namespace

ClusterFolder::ClusterFolder(fs::path folder, const ShardedCommand &command)
    : m_folder(fs::absolute(folder).lexically_normal())
{
    std::error_code error;
    fs::create_directories(m_folder, error);
    const fs::path lock = m_folder / "lock";
    m_lock = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_lock < 0)
        throw Failure(resourceError(
            fmt::format("--cluster-folder {}: cannot write there: {}.", m_folder.string(), std::strerror(errno))));
    if (flock(m_lock, LOCK_EX | LOCK_NB) != 0) {
        close(m_lock);
        throw Failure(badInput(
            fmt::format("--cluster-folder {}: another program watches its jobs. Wait for it, or name another folder.",
                        m_folder.string())));
    }
    try {
        resume(command);
    } catch (...) {
        close(m_lock);
        throw;
    }
}

ClusterFolder::~ClusterFolder()
{
    close(m_lock);
}

void ClusterFolder::resume(const ShardedCommand &command)
{
    const fs::path description = m_folder / "cluster.json";
    std::error_code ignored;
    if (!fs::exists(description, ignored)) {
        (void)writeFileAtomically(description, toJson(command).dump(2) + "\n").valueOrThrow();
        return;
    }
    m_resumed = true;
    const UnorderedJson known = readJsonFile(description).valueOrThrow();
    const UnorderedJson mine = toJson(command);
    if (known == mine)
        return;
    for (const char *what : {"shards", "working_folder"}) {
        if (known.is_object() && known.contains(what) && known[what] != mine[what])
            throw Failure(usageError(
                fmt::format("--cluster-folder {}: what it holds has {} {}, not {}. Go on with that, or name another "
                            "folder.",
                            m_folder.string(), std::strcmp(what, "shards") == 0 ? "shards:" : "the working folder",
                            known[what].dump(), mine[what].dump())));
    }
    throw Failure(usageError(
        fmt::format("--cluster-folder {}: it holds another command ({}). Go on with that, or name another folder.",
                    m_folder.string(), description.string())));
}

fs::path ClusterFolder::file(std::int64_t part, const char *ending) const
{
    return m_folder / ((part == kEnd ? std::string("end") : fmt::format("shard-{}", part)) + ending);
}

std::optional<PartStatus> ClusterFolder::status(std::int64_t part) const
{
    std::ifstream text(file(part, ".status"));
    PartStatus status;
    std::string mark; // last, so that half a file is none
    if (text >> status.exitCode >> status.job >> status.node >> mark && mark == "end")
        return status;
    return std::nullopt;
}

bool ClusterFolder::isDone(std::int64_t part) const
{
    const auto known = status(part);
    return known && known->exitCode == 0;
}

std::vector<std::string> ClusterFolder::endOfLog(std::int64_t part) const
{
    constexpr std::streamoff kEndBytes = 4096;
    std::ifstream text(log(part), std::ios::binary | std::ios::ate);
    std::vector<std::string> lines;
    if (!text)
        return lines;
    const std::streamoff size = text.tellg();
    text.seekg(std::max<std::streamoff>(0, size - kEndBytes));
    for (std::string line; std::getline(text, line);) {
        if (!line.empty())
            lines.push_back(std::move(line));
    }
    return lines;
}

void ClusterFolder::forgetStatus(std::int64_t part) const
{
    std::error_code ignored;
    fs::remove(file(part, ".status"), ignored);
}

fs::path ClusterFolder::writeScript(bool end, const std::string &command) const
{
    const std::string part = end ? "end" : "shard-$SLURM_ARRAY_TASK_ID";
    const std::string status = shellQuoted(m_folder.string() + "/") + '"' + part + ".status\"";
    const std::string script = fmt::format(
        "#!/bin/sh\n"
        "# Written by headscope-cli --cluster slurm; sbatch gives the number of the task.\n"
        "echo \"$(date -u) job $SLURM_ARRAY_JOB_ID, task $SLURM_ARRAY_TASK_ID on ${{SLURMD_NODENAME:-$(uname -n)}}\" >&2\n"
        "{}\n"
        "code=$?\n"
        "echo \"$code $SLURM_ARRAY_JOB_ID ${{SLURMD_NODENAME:-$(uname -n)}} end\" > {}\n"
        "exit $code\n",
        command, status);
    const fs::path path = m_folder / (end ? "end.sh" : "shard.sh");
    (void)writeFileAtomically(path, script).valueOrThrow();
    return path;
}

std::string ClusterFolder::jobName() const
{
    Hasher hasher;
    hasher.add(std::string_view(fs::weakly_canonical(m_folder).string()));
    return "headscope-" + hasher.hex().substr(0, 12);
}

} // namespace headscope::cli
