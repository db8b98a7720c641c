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
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// A folder that keeps work from being lost: journals of sweeps and sums of other analyses that are not done yet, with
/// what is known from them so far, and finished results that took long, each by the key of the result, until somebody
/// else holds the result. Programs share it. What nobody has come back for in 90 days is removed. Copies of it stay
/// one: all of them move. Any thread may call it.
class WorkFolder
{
public:
    explicit WorkFolder(std::filesystem::path folder);

    std::filesystem::path path() const;
    /// For results that are kept by their keys until nobody has asked for them for 90 days: those of checkpoints, which
    /// several results are made of. In the first folder, wherever work is kept by now.
    std::filesystem::path checkpoints() const;
    /// From now on work is kept in `folder`, where nothing is ever forgotten; it stays where it was if that cannot be
    /// written. What is kept of `keys` goes there at once, also while it is being written; anything else in the first
    /// folder is found there, and goes along when somebody goes on with it. A folder that is neither keeps a copy.
    void moveTo(const std::filesystem::path &folder, const std::set<std::string> &keys) const;
    /// The journal of one of the sweeps that the result `key` is made of: begun, or gone on with. Null where none can
    /// be kept: another program is at work on it, or the folder cannot be written.
    std::unique_ptr<SweepJournal> journal(const std::string &key, const SweepIdentity &sweep) const;
    /// A finished result; nothing where there is none that can be read.
    std::optional<AnyResult> find(const std::string &key) const;
    /// Keeps a finished result instead of the journals that it is made of; where it cannot be written, those stay.
    void keep(const AnyResult &result) const;
    /// Keeps what is known of a result so far, in place of what was known before, as well as the disk allows.
    void keepPartial(const AnyResult &result) const;
    /// How long a result that is not finished has been computed, as it says itself; 0: not known.
    double secondsSpent(const std::string &key) const;
    /// The known part of the results that are not finished, in no order.
    std::vector<AnyResult> partials() const;
    /// Removes all that is kept of this result.
    void release(const std::string &key) const;

    static constexpr int kMostDays = 90;

private:
    friend class KeptWork;
    struct Place;
    std::optional<nlohmann::json> sums(const std::string &key) const;
    void keepSums(const std::string &key, const nlohmann::json &sums) const;
    /// The folder of now and, after it, the first one where that is another.
    std::vector<std::filesystem::path> folders() const;

    std::shared_ptr<Place> m_place;
};

/// Where the work on one result is kept: its sweeps, told apart by what they are, or what else it has added up.
class KeptWork
{
public:
    KeptWork() = default; ///< nowhere
    KeptWork(WorkFolder folder, std::string key) : m_folder(std::move(folder)), m_key(std::move(key)) { }

    bool isKept() const { return m_folder.has_value(); }
    /// The sums that were kept last; nothing: there is none that can be read.
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
