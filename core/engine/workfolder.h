#pragma once

#include "core/base/headref.h"
#include "core/engine/sweepjournal.h"
#include "core/results/anyresult.h"
#include "core/task/variant.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// A folder that keeps work from being lost: journals of sweeps and sums of other analyses that are not done yet, with
/// what is known from them so far, and finished results that took long, each by the key of the result, until somebody
/// else holds the result. Programs share it. What nobody has come back for in 90 days is removed.
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
    /// Keeps what is known of a result so far, in place of what was known before, as well as the disk allows.
    void keepPartial(const AnyResult &result) const;
    /// What is known of the results that are not finished, in no order.
    std::vector<AnyResult> partials() const;
    /// Removes all that is kept of this result.
    void release(const std::string &key) const;

    static constexpr int kMostDays = 90;

private:
    friend class KeptWork;
    std::filesystem::path sumsOf(const std::string &key) const;
    void removeForgotten() const;
    std::vector<std::filesystem::path> journalsOf(const std::string &key) const;
    std::filesystem::path partialFolder() const { return m_folder / "partial"; }

    std::filesystem::path m_folder;
};

/// Where the work on one result is kept: its sweeps, told apart by what they are, or what else it has added up.
class KeptWork
{
public:
    KeptWork() = default; ///< nowhere
    KeptWork(WorkFolder folder, std::string key) : m_folder(std::move(folder)), m_key(std::move(key)) { }

    bool isKept() const { return m_folder.has_value(); }
    /// What was added up and kept last; nothing: there is none that can be read.
    std::optional<nlohmann::json> sums() const;
    /// In place of those before, as well as the disk allows.
    void keepSums(const nlohmann::json &sums) const;

    /// Null: it is not kept. `what`: the sweep's part in the result. `blocks`: as in SweepIdentity.
    std::unique_ptr<SweepJournal> journal(const std::string &what, const HeadMask &base,
                                          const std::vector<Variant> &variants,
                                          const std::vector<std::int64_t> &blocks) const;

private:
    std::optional<WorkFolder> m_folder;
    std::string m_key;
};

} // namespace headscope
