#include "app/cli/batch/batchresults.h"

#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"
#include "core/formats/rememberedhash.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <headscope/version.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLongestSeal = 1024; ///< bytes

/// The file beside a result: its key, so that it is no other one's, and the hash of its bytes.
std::string sealText(const std::string &key, const std::string &hash)
{
    return key + " " + hash + "\n";
}

} // namespace

BatchLock::~BatchLock()
{
    if (m_descriptor < 0)
        return;
    std::error_code ignored;
    fs::remove(m_file, ignored); // before it is given back: whoever waits for the old file looks for a new one
    ::close(m_descriptor);
}

std::optional<BatchLock> BatchResults::lock(const std::string &key) const
{
    const fs::path file = workFile(key, ".lock");
    for (;;) {
        const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0)
            throw Failure(resourceError(fmt::format("cannot write {}: {}.", file.string(), std::strerror(errno))));
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            ::close(descriptor);
            return std::nullopt;
        }
        struct stat opened = {};
        struct stat named = {};
        if (::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino)
            return BatchLock(file, descriptor);
        ::close(descriptor); // another program has just given it back
    }
}

BatchResults::BatchResults(fs::path folder) : m_folder(std::move(folder))
{
    for (const char *inside : {"results", "work"}) {
        std::error_code error;
        fs::create_directories(m_folder / inside, error);
        if (error)
            throw Failure(resourceError(
                fmt::format("cannot make the folder {}: {}.", (m_folder / inside).string(), error.message())));
    }
}

bool BatchResults::has(const std::string &key, const JobControl &control) const
{
    if (!hasFile(key))
        return false;
    const auto seal = readText(sealOf(key), control, kLongestSeal);
    const auto hash = hashFile(fileOf(key), control);
    if (seal.isCancelled() || hash.isCancelled())
        throw Cancelled();
    return seal.isOk() && hash.isOk() && seal.value() == sealText(key, hash.value());
}

bool BatchResults::hasFile(const std::string &key) const
{
    std::error_code ignored;
    return fs::exists(fileOf(key), ignored);
}

void BatchResults::keep(const std::string &key, const fs::path &made, const JobControl &control) const
{
    const std::string hash = hashFile(made, control).valueOrThrow();
    // First what the result is to be: whoever is killed here leaves none.
    (void)writeFileAtomically(sealOf(key), sealText(key, hash)).valueOrThrow();
    std::error_code error;
    fs::rename(made, fileOf(key), error);
    if (error)
        throw Failure(resourceError(fmt::format("cannot write {}: {}.", fileOf(key).string(), error.message())));
}

std::string BatchResults::keyOf(const BatchEntry &entry, const JobControl &control)
{
    Hasher hasher;
    hasher.add(std::string_view(HEADSCOPE_VERSION));
    hasher.add(std::string_view(entry.command));
    for (const std::string &option : entry.options)
        hasher.add(std::string_view(option));
    for (const std::string &input : entry.inputs)
        hasher.add(std::string_view(contentHash(input, control)));
    return hasher.hex();
}

/// The hash of a file, or of the files that lie in a folder.
std::string BatchResults::contentHash(const std::string &path, const JobControl &control)
{
    const auto known = m_hashes.find(path);
    if (known != m_hashes.end())
        return known->second;
    std::error_code error;
    std::string hash;
    if (fs::is_directory(path, error)) {
        std::vector<fs::path> files;
        for (const auto &file : fs::directory_iterator(path, error)) {
            if (file.is_regular_file(error))
                files.push_back(file.path());
        }
        std::ranges::sort(files);
        Hasher hasher;
        for (const fs::path &file : files) {
            hasher.add(std::string_view(file.filename().string()));
            hasher.add(std::string_view(rememberedHash(file, control).valueOrThrow()));
        }
        hash = hasher.hex();
    } else {
        hash = rememberedHash(path, control).valueOrThrow();
    }
    m_hashes.emplace(path, hash);
    return hash;
}

} // namespace headscope::cli
