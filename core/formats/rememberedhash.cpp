#include "core/formats/rememberedhash.h"

#include "core/base/cachefolder.h"
#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <sys/stat.h>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastBytes = 1 << 20;   // below it hashing is as fast as looking up
constexpr std::int64_t kLargestEntry = 1 << 16; // of JSON
constexpr std::int64_t kSettled = 2;            // seconds: clocks of file systems tick as slowly
constexpr std::size_t kHashDigits = 32;

std::int64_t nanoseconds(const timespec &time)
{
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Marks that tell a file from another one, or from what it was; none where it is small, or cannot be looked at.
std::optional<nlohmann::json> stampOf(const fs::path &path)
{
    struct stat about
    {
    };
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < kLeastBytes)
        return std::nullopt;
    return nlohmann::json{{"path", path.string()},
                          {"size", std::int64_t{about.st_size}},
                          {"inode", std::uint64_t{about.st_ino}},
                          {"modified", nanoseconds(about.st_mtim)},
                          {"changed", nanoseconds(about.st_ctim)}};
}

bool isSettled(const nlohmann::json &stamp)
{
    const auto now
        = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count();
    return now - stamp["changed"].get<std::int64_t>() > kSettled * 1'000'000'000;
}

/// One file per hash, so that concurrent programs do not overwrite each other's entries.
fs::path entryOf(const fs::path &cache, const fs::path &path)
{
    Hasher hasher;
    hasher.add(std::string_view(path.string()));
    return cache / "hashes" / (hasher.hex() + ".json");
}

std::optional<std::string> known(const fs::path &entry, const nlohmann::json &stamp)
{
    const auto kept = readJsonFile(entry, kLargestEntry);
    if (!kept.isOk() || !kept.value().is_object() || !kept.value().contains("hash")
        || !kept.value()["hash"].is_string())
        return std::nullopt;
    nlohmann::json then = kept.value();
    std::string hash = then["hash"];
    then.erase("hash");
    return then == stamp && hash.size() == kHashDigits ? std::optional(hash) : std::nullopt;
}

} // namespace

Result<std::string> rememberedHash(const fs::path &path, const JobControl &control)
{
    std::error_code error;
    const fs::path file = fs::weakly_canonical(path, error);
    const auto cache = cacheFolder();
    const auto stamp = error || !cache ? std::nullopt : stampOf(file);
    if (!stamp)
        return hashFile(path, control);
    const fs::path entry = entryOf(*cache, file);
    if (const auto hash = known(entry, *stamp))
        return *hash;
    auto hash = hashFile(path, control);
    if (hash.isOk() && isSettled(*stamp) && stampOf(file) == stamp) {
        nlohmann::json kept = *stamp;
        kept["hash"] = hash.value();
        fs::create_directories(entry.parent_path(), error);
        (void)writeFileAtomically(entry, kept.dump(2) + "\n"); // that it cannot be kept is no harm
    }
    return hash;
}

} // namespace headscope
