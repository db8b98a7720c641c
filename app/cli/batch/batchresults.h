#pragma once

#include "app/cli/batch/batchplan.h"
#include "core/base/jobcontrol.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace headscope::cli {

/// The claim that this program, and no other, makes a result; given back when it is destroyed.
class BatchLock
{
public:
    BatchLock(std::filesystem::path file, int descriptor) : m_file(std::move(file)), m_descriptor(descriptor) { }
    ~BatchLock();
    BatchLock(BatchLock &&other) noexcept
        : m_file(std::move(other.m_file)), m_descriptor(std::exchange(other.m_descriptor, -1))
    {
    }
    BatchLock(const BatchLock &) = delete;
    BatchLock &operator=(const BatchLock &) = delete;

private:
    std::filesystem::path m_file;
    int m_descriptor;
};

/// Where the results of a plan lie: a file for every key. Equal keys mean equal results, whatever plans, models and
/// data sets are called.
class BatchResults
{
public:
    /// Makes the folder. Throws Failure.
    explicit BatchResults(std::filesystem::path folder);

    /// Hash of the contents of model and data, the command, its options and Headscope's version. Reads every file once,
    /// large ones only where they are not as they were the last time (rememberedhash.h). Throws Failure and Cancelled.
    std::string keyOf(const BatchEntry &entry, const JobControl &control);

    std::filesystem::path fileOf(const std::string &key) const { return m_folder / "results" / (key + ".json"); }
    /// Whether the result is there as it was made: all of its bytes, by the hash beside it. A file that was damaged,
    /// cut off or put there by somebody else is none. Throws Cancelled.
    bool has(const std::string &key, const JobControl &control) const;
    /// Something has the result's name, whatever it is.
    bool hasFile(const std::string &key) const;
    /// The right to make the result of this key; none: another program makes it. Throws Failure.
    std::optional<BatchLock> lock(const std::string &key) const;
    /// Gives the file `made` its name among the results. Throws Failure and Cancelled.
    void keep(const std::string &key, const std::filesystem::path &made, const JobControl &control) const;
    /// For what is being made: `name` followed by `ending`.
    std::filesystem::path workFile(const std::string &name, const char *ending) const
    {
        return m_folder / "work" / (name + ending);
    }

private:
    std::filesystem::path sealOf(const std::string &key) const { return m_folder / "results" / (key + ".hash"); }
    std::string contentHash(const std::string &path, const JobControl &control);

    std::filesystem::path m_folder;
    std::map<std::string, std::string> m_hashes; ///< by path
};

} // namespace headscope::cli
