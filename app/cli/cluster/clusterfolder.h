#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// A command that runs on a cluster: the words of one command (without those that say where it runs and where its
/// result goes), from this working folder, in so many shards.
struct ShardedCommand
{
    std::vector<std::string> words;
    std::string workingFolder;
    std::int64_t shards = 0;

    bool operator==(const ShardedCommand &) const = default;
};

/// How a part came to its end, as its script wrote it down there.
struct PartStatus
{
    int exitCode = 0;
    std::int64_t job = 0; ///< of the array that it was a task of
    std::string node;
};

/// The folder that a dealt command keeps everything in; shared by all nodes. Parts are numbered from 1; 0 is the end,
/// which makes the result of all of them.
class ClusterFolder
{
public:
    static constexpr std::int64_t kEnd = 0;

    /// Creates the folder, or resumes one that the same command has begun; one program at a time. Throws Failure.
    ClusterFolder(std::filesystem::path folder, const ShardedCommand &command);
    ~ClusterFolder();
    ClusterFolder(const ClusterFolder &) = delete;
    ClusterFolder &operator=(const ClusterFolder &) = delete;

    const std::filesystem::path &path() const { return m_folder; }
    bool isResumed() const { return m_resumed; }
    /// The journals of the shards, with {shard} in the name.
    std::filesystem::path journals() const { return m_folder / "shard-{shard}.journal"; }
    std::filesystem::path journal(std::int64_t part) const { return file(part, ".journal"); }
    std::filesystem::path joinedJournal() const { return m_folder / "joined.journal"; }
    std::filesystem::path result() const { return m_folder / "result"; }
    std::filesystem::path log(std::int64_t part) const { return file(part, ".log"); }
    /// The last lines of it, without empty ones; the first may lack its beginning. None: there is no log yet.
    std::vector<std::string> endOfLog(std::int64_t part) const;
    /// For sbatch: logs of all shards, or of the end.
    std::filesystem::path logPattern(bool end) const { return m_folder / (end ? "end.log" : "shard-%a.log"); }
    /// None: it has not come to its end.
    std::optional<PartStatus> status(std::int64_t part) const;
    bool isDone(std::int64_t part) const;
    void forgetStatus(std::int64_t part) const;
    /// Writes the script of all shards, or of the end: `command` for this program, as sh reads it. Returns its file.
    std::filesystem::path writeScript(bool end, const std::string &command) const;
    /// Hash of where the folder is: what its jobs are called by.
    std::string jobName() const;

private:
    std::filesystem::path file(std::int64_t part, const char *ending) const;
    void resume(const ShardedCommand &command);

    std::filesystem::path m_folder;
    int m_lock = -1;
    bool m_resumed = false;
};

} // namespace headscope::cli
