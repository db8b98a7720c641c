#include "core/formats/zipfolder.h"
#include "tests/fuzz/fuzzing.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

/// What lies below a folder: its files, by their places.
std::set<std::string> filesBelow(const fs::path &folder)
{
    std::set<std::string> files;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        fuzzing::require(!entry.is_symlink(), "no link is unpacked");
        if (entry.is_regular_file())
            files.insert(entry.path().lexically_relative(folder).string());
    }
    return files;
}

} // namespace

/// A packed study as `headscope-cli unpack` reads it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const fuzzing::Folder folder;
    folder.empty();
    const fs::path packed = folder.path() / "study.zip";
    std::ofstream(packed, std::ios::binary)
        .write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
    const fs::path there = folder.path() / "there" / "inside";
    const auto unpacked = unpackZip(packed, there, {});
    std::int64_t bytes = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder.path())) {
        const bool isInside = entry.path().string().starts_with(there.string()) || entry.path() == there.parent_path();
        fuzzing::require(isInside || entry.path() == packed, "nothing leaves the folder");
        if (entry.is_regular_file() && entry.path() != packed)
            bytes += static_cast<std::int64_t>(entry.file_size());
    }
    fuzzing::require(bytes <= mostUnpacked(static_cast<std::int64_t>(size)), "no more is unpacked than is said");
    if (!unpacked.isOk()) {
        fuzzing::require(!fs::exists(there), "all of it or nothing is unpacked");
        return 0;
    }
    // What was understood can be packed, and is then the same.
    std::vector<ZipSource> sources;
    const std::set<std::string> files = filesBelow(there);
    for (const std::string &file : files)
        sources.push_back({file, there / file});
    const fs::path again = folder.path() / "again.zip";
    if (!writeZip(again, sources, {}).isOk())
        return 0; // names that are no UTF-8
    const auto second = unpackZip(again, folder.path() / "second", {});
    fuzzing::require(second.isOk() || !sources.empty(), "an empty study can be packed");
    if (second.isOk())
        fuzzing::require(filesBelow(folder.path() / "second") == files, "what is packed comes out");
    return 0;
}
