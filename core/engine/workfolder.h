#pragma once

#include "core/base/headref.h"
#include "core/engine/sweepjournal.h"
#include "core/results/anyresult.h"
#include "core/task/variant.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// A folder that keeps work from being lost: journals of sweeps that are not done yet, and finished results that took
/// long, each by the key of the result, until somebody else holds the result. Programs share it. What nobody has come
/// back for in 90 days is removed.
class WorkFolder
{
public:
    explicit WorkFolder(std::filesystem::path folder);

    const std::filesystem::path &path() const { return m_folder; }
    /// The journal of one of the sweeps that the result `key` is made of: begun, or gone on with. Null where none can
    /// be kept: another program is at work on it, or the folder cannot be written.
    std::unique_ptr<SweepJournal> journal(const std::string &key, const SweepIdentity &sweep) const;
    /// A finished result; nothing where there is none that can be read.
    std::optional<AnyResult> find(const std::string &key) const;
    /// Keeps a finished result instead of the journals that it is made of; where it cannot be written, those stay.
    void keep(const AnyResult &result) const;
    /// Removes all that is kept of this result.
    void release(const std::string &key) const;

    static constexpr int kMostDays = 90;

private:
    std::vector<std::filesystem::path> journalsOf(const std::string &key) const;

    std::filesystem::path m_folder;
};

/// Where the sweeps of one result are kept, and how they are told apart.
class KeptSweeps
{
public:
    KeptSweeps() = default; ///< nowhere
    KeptSweeps(WorkFolder folder, std::string key) : m_folder(std::move(folder)), m_key(std::move(key)) { }

    /// Null: it is not kept. `what`: the sweep's part in the result. `blocks`: as in SweepIdentity.
    std::unique_ptr<SweepJournal> journal(const std::string &what, const HeadMask &base,
                                          const std::vector<Variant> &variants,
                                          const std::vector<std::int64_t> &blocks) const;

private:
    std::optional<WorkFolder> m_folder;
    std::string m_key;
};

} // namespace headscope
