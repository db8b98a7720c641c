#include "core/engine/workfolder.h"

#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"
#include "core/formats/textlines.h"
#include "core/results/resultstore.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace headscope {

namespace fs = std::filesystem;

namespace {

constexpr const char *kEnding = ".journal";
constexpr std::size_t kHashDigits = 32;

std::string digestOf(std::string_view bytes)
{
    Hasher hasher;
    hasher.add(bytes);
    return hasher.hex();
}

/// Files of this folder whose names begin and end so.
std::vector<fs::path> filesLike(const fs::path &folder, const std::string &begin, const std::string &end)
{
    std::vector<fs::path> found;
    std::error_code none;
    for (fs::directory_iterator at(folder, none), last; !none && at != last; at.increment(none)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end))
            found.push_back(at->path());
    }
    return found;
}

void removeFile(const fs::path &file)
{
    std::error_code ignored; // a leftover does no harm
    fs::remove(file, ignored);
}

fs::path partialsOf(const fs::path &folder)
{
    return folder / "partial";
}

fs::path checkpointsOf(const fs::path &folder)
{
    return folder / "checkpoints";
}

fs::path sumsOf(const fs::path &folder, const std::string &key)
{
    return folder / (key + "-sums" + kEnding);
}

std::vector<fs::path> journalsOf(const fs::path &folder, const std::string &key)
{
    return filesLike(folder, key + '-', kEnding);
}

/// All that is kept of a result.
std::vector<fs::path> filesOf(const fs::path &folder, const std::string &key)
{
    std::vector<fs::path> files = journalsOf(folder, key);
    for (const fs::path &file : {folder / (key + ".json"), partialsOf(folder) / (key + ".json")}) {
        std::error_code unknown;
        if (fs::exists(file, unknown))
            files.push_back(file);
    }
    return files;
}

/// Removes work that nobody has come back for.
void removeForgotten(const fs::path &shared)
{
    const auto oldest = fs::file_time_type::clock::now() - std::chrono::days(WorkFolder::kMostDays);
    for (const fs::path &folder : {shared, partialsOf(shared), checkpointsOf(shared)}) {
        for (const fs::path &file : filesLike(folder, {}, {})) {
            std::error_code unknown;
            const auto written = fs::last_write_time(file, unknown);
            if (!unknown && written < oldest && (file.extension() == kEnding || file.extension() == ".json"))
                removeFile(file);
        }
    }
}

/// A whole copy, or none. What is at its end when a journal is being written is cut off when it is opened.
bool copyWhole(const fs::path &from, const fs::path &to)
{
    const fs::path begun = to.string() + ".copy";
    std::error_code failed;
    fs::copy_file(from, begun, fs::copy_options::overwrite_existing, failed);
    if (!failed)
        fs::rename(begun, to, failed);
    if (failed)
        removeFile(begun);
    return !failed;
}

/// A program that is writing the file goes on with it in the new folder, if that is on the same disk. `keepsCopy`: the
/// old folder has it, too.
void moveFile(const fs::path &from, const fs::path &to, bool keepsCopy)
{
    std::error_code failed;
    if (fs::exists(to, failed)) { // it is further there, or as far
        if (!keepsCopy && !SweepJournal::isInUse(from))
            removeFile(from);
        return;
    }
    fs::create_directories(to.parent_path(), failed);
    fs::rename(from, to, failed);
    if (!failed) {
        if (keepsCopy)
            copyWhole(to, from);
    } else if (copyWhole(from, to) && !keepsCopy && !SweepJournal::isInUse(from)) {
        removeFile(from);
    }
}

/// Whether it is there and can be written, or can be made.
bool canWrite(const fs::path &folder)
{
    std::error_code unknown;
    fs::path there = folder;
    while (!there.empty() && !fs::exists(there, unknown) && there.has_relative_path())
        there = there.parent_path();
    return fs::is_directory(there, unknown) && ::access(there.c_str(), W_OK | X_OK) == 0;
}

} // namespace

struct WorkFolder::Place
{
    std::mutex moving; ///< nothing is written while it moves
    std::mutex mutex;  ///< guards what follows
    fs::path first;    ///< shared with other programs
    fs::path now;
};

WorkFolder::WorkFolder(fs::path folder) : m_place(std::make_shared<Place>())
{
    m_place->first = std::move(folder);
    m_place->now = m_place->first;
}

fs::path WorkFolder::path() const
{
    const std::scoped_lock lock(m_place->mutex);
    return m_place->now;
}

fs::path WorkFolder::checkpoints() const
{
    const std::scoped_lock lock(m_place->mutex);
    return checkpointsOf(m_place->first);
}

std::vector<fs::path> WorkFolder::folders() const
{
    const std::scoped_lock lock(m_place->mutex);
    if (m_place->now == m_place->first)
        return {m_place->first};
    return {m_place->now, m_place->first};
}

void WorkFolder::moveTo(const fs::path &folder, const std::set<std::string> &keys) const
{
    const std::scoped_lock moving(m_place->moving);
    const std::vector<fs::path> before = folders();
    if (before.front() == folder || !canWrite(folder))
        return;
    {
        const std::scoped_lock lock(m_place->mutex);
        m_place->now = folder;
    }
    for (const fs::path &old : before) {
        const bool isShared = old == before.back();
        for (const std::string &key : keys) {
            for (const fs::path &file : filesOf(old, key))
                moveFile(file, folder / file.lexically_relative(old), !isShared);
        }
    }
}

std::unique_ptr<SweepJournal> WorkFolder::journal(const std::string &key, const SweepIdentity &sweep) const
{
    const std::scoped_lock writing(m_place->moving);
    const std::vector<fs::path> places = folders();
    std::error_code failed;
    fs::create_directories(places.front(), failed);
    if (failed)
        return nullptr;
    removeForgotten(places.back());
    const std::string name = key + '-' + sweep.key + kEnding;
    const fs::path file = places.front() / name;
    if (std::error_code none;
        places.size() > 1 && fs::exists(places.back() / name, none) && !SweepJournal::isInUse(places.back() / name))
        moveFile(places.back() / name, file, false);
    if (auto opened = SweepJournal::open(file, sweep); opened.isOk())
        return std::move(opened).value();
    if (SweepJournal::isInUse(file))
        return nullptr;
    removeFile(file); // damaged
    auto begun = SweepJournal::open(file, sweep);
    return begun.isOk() ? std::move(begun).value() : nullptr;
}

std::optional<AnyResult> WorkFolder::find(const std::string &key) const
{
    for (const fs::path &folder : folders()) {
        const ResultStore store(folder);
        if (!store.contains(key))
            continue;
        auto found = store.load(key);
        const Manifest *manifest = found.isOk() ? manifestOf(found.value()) : nullptr;
        if (manifest && !manifest->partial)
            return std::move(found).value();
    }
    return std::nullopt;
}

void WorkFolder::keep(const AnyResult &result) const
{
    const std::scoped_lock writing(m_place->moving);
    const auto key = ResultStore(path()).save(result);
    if (!key.isOk())
        return;
    for (const fs::path &folder : folders()) {
        std::ranges::for_each(journalsOf(folder, key.value()), removeFile);
        ResultStore(partialsOf(folder)).remove({key.value()});
    }
}

void WorkFolder::keepPartial(const AnyResult &result) const
{
    const std::scoped_lock writing(m_place->moving);
    (void)ResultStore(partialsOf(path())).save(result); // the journal is what counts
}

double WorkFolder::secondsSpent(const std::string &key) const
{
    for (const fs::path &folder : folders()) {
        const ResultStore store(partialsOf(folder));
        if (!store.contains(key))
            continue;
        const auto found = store.load(key);
        if (const Manifest *manifest = found.isOk() ? manifestOf(found.value()) : nullptr)
            return manifest->seconds;
    }
    return 0;
}

std::vector<AnyResult> WorkFolder::partials() const
{
    std::vector<AnyResult> found;
    std::set<std::string> keys;
    for (const fs::path &folder : folders()) {
        const ResultStore store(partialsOf(folder));
        for (const fs::path &file : filesLike(store.folder(), {}, ".json")) {
            if (keys.contains(file.stem().string()))
                continue;
            if (auto loaded = store.load(file.stem().string()); loaded.isOk()) {
                keys.insert(file.stem().string());
                found.push_back(std::move(loaded).value());
            }
        }
    }
    return found;
}

void WorkFolder::release(const std::string &key) const
{
    if (key.empty())
        return;
    const std::vector<fs::path> places = folders();
    for (const fs::path &folder : places)
        std::ranges::for_each(filesOf(folder, key), removeFile);
    if (places.size() > 1) { // no empty folder is left in a study's
        for (const fs::path &folder : {partialsOf(places.front()), places.front()}) {
            std::error_code ignored;
            fs::remove(folder, ignored);
        }
    }
}

std::optional<nlohmann::json> WorkFolder::sums(const std::string &key) const
{
    for (const fs::path &folder : folders()) {
        const auto bytes = readBytes(sumsOf(folder, key));
        if (!bytes.isOk() || bytes.value().size() <= kHashDigits)
            continue;
        const std::string_view content = std::string_view(bytes.value()).substr(kHashDigits);
        if (!bytes.value().starts_with(digestOf(content)))
            continue;
        nlohmann::json sums = nlohmann::json::parse(content, nullptr, false);
        if (!sums.is_discarded())
            return sums;
    }
    return std::nullopt;
}

void WorkFolder::keepSums(const std::string &key, const nlohmann::json &sums) const
{
    const std::scoped_lock writing(m_place->moving);
    const fs::path folder = path();
    std::error_code failed;
    fs::create_directories(folder, failed);
    const std::string content = sums.dump();
    (void)writeFileAtomically(sumsOf(folder, key), digestOf(content) + content); // else it begins anew after a stop
}

std::optional<nlohmann::json> KeptWork::sums() const
{
    return m_folder ? m_folder->sums(m_key) : std::nullopt;
}

void KeptWork::keepSums(const nlohmann::json &sums) const
{
    if (m_folder)
        m_folder->keepSums(m_key, sums);
}

std::unique_ptr<SweepJournal> KeptWork::journal(const std::string &what, const HeadMask &base,
                                                const std::vector<Variant> &variants,
                                                const std::vector<std::int64_t> &blocks) const
{
    if (!m_folder)
        return nullptr;
    Hasher hasher;
    hasher.add(std::string_view(m_key));
    hasher.add(std::string_view(what));
    hasher.add(std::string_view(toText(base)));
    for (const Variant &variant : variants) {
        hasher.add(std::string_view(toText(variant.mask)));
        hasher.add(std::string_view(toText(variant.replacement)));
        hasher.add(variant.draw);
        for (const auto &[head, scale] : variant.scales) {
            hasher.add(std::string_view(toText(head)));
            hasher.add(std::bit_cast<std::int64_t>(scale));
        }
    }
    return m_folder->journal(m_key, {hasher.hex(), std::ssize(variants), blocks});
}

} // namespace headscope
