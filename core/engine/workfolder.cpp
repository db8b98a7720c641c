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
#include <string_view>
#include <system_error>
#include <utility>

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

} // namespace

WorkFolder::WorkFolder(fs::path folder) : m_folder(std::move(folder)) { }

std::vector<fs::path> WorkFolder::journalsOf(const std::string &key) const
{
    return filesLike(m_folder, key + '-', kEnding);
}

fs::path WorkFolder::sumsOf(const std::string &key) const
{
    return m_folder / (key + "-sums" + kEnding);
}

/// What nobody has come back for.
void WorkFolder::removeForgotten() const
{
    const auto oldest = fs::file_time_type::clock::now() - std::chrono::days(kMostDays);
    for (const fs::path &folder : {m_folder, partialFolder()}) {
        for (const fs::path &file : filesLike(folder, {}, {})) {
            std::error_code unknown;
            const auto written = fs::last_write_time(file, unknown);
            if (!unknown && written < oldest && (file.extension() == kEnding || file.extension() == ".json"))
                removeFile(file);
        }
    }
}

std::unique_ptr<SweepJournal> WorkFolder::journal(const std::string &key, const SweepIdentity &sweep) const
{
    std::error_code failed;
    fs::create_directories(m_folder, failed);
    if (failed)
        return nullptr;
    removeForgotten();
    const fs::path file = m_folder / (key + '-' + sweep.key + kEnding);
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
    const ResultStore store(m_folder);
    if (!store.contains(key))
        return std::nullopt;
    auto found = store.load(key);
    const Manifest *manifest = found.isOk() ? manifestOf(found.value()) : nullptr;
    return manifest && !manifest->partial ? std::optional(std::move(found).value()) : std::nullopt;
}

void WorkFolder::keep(const AnyResult &result) const
{
    const auto key = ResultStore(m_folder).save(result);
    if (!key.isOk())
        return;
    std::ranges::for_each(journalsOf(key.value()), removeFile);
    ResultStore(partialFolder()).remove({key.value()});
}

void WorkFolder::keepPartial(const AnyResult &result) const
{
    (void)ResultStore(partialFolder()).save(result); // the journal is what counts
}

std::vector<AnyResult> WorkFolder::partials() const
{
    const ResultStore store(partialFolder());
    std::vector<AnyResult> found;
    for (const fs::path &file : filesLike(partialFolder(), {}, ".json")) {
        if (auto loaded = store.load(file.stem().string()); loaded.isOk())
            found.push_back(std::move(loaded).value());
    }
    return found;
}

void WorkFolder::release(const std::string &key) const
{
    if (key.empty())
        return;
    std::ranges::for_each(journalsOf(key), removeFile);
    ResultStore(m_folder).remove({key});
    ResultStore(partialFolder()).remove({key});
}

std::optional<nlohmann::json> KeptWork::sums() const
{
    const auto bytes = m_folder ? readBytes(m_folder->sumsOf(m_key)) : Result<std::string>(std::string());
    if (!bytes.isOk() || bytes.value().size() <= kHashDigits)
        return std::nullopt;
    const std::string_view content = std::string_view(bytes.value()).substr(kHashDigits);
    if (!bytes.value().starts_with(digestOf(content)))
        return std::nullopt;
    nlohmann::json sums = nlohmann::json::parse(content, nullptr, false);
    return sums.is_discarded() ? std::nullopt : std::optional(std::move(sums));
}

void KeptWork::keepSums(const nlohmann::json &sums) const
{
    if (!m_folder)
        return;
    std::error_code failed;
    fs::create_directories(m_folder->path(), failed);
    const std::string content = sums.dump();
    (void)writeFileAtomically(m_folder->sumsOf(m_key), digestOf(content) + content); // else it begins anew after a stop
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
