#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// A file of an archive: its name there ("data/in/test.en") and where its bytes come from.
struct ZipSource
{
    std::string name;
    std::filesystem::path file;
};

/// Writes a zip archive of these files, in this order, whole or not at all. Weights and what is packed already are
/// stored as they are. Names are written as UTF-8 whatever the locale. Progress counts files. Errors name the file that
/// cannot be read or written.
Result<Done> writeZip(const std::filesystem::path &path, const std::vector<ZipSource> &files,
                      const JobControl &control);

/// The most bytes that an archive of so many bytes may unpack to, and the most files: far more than those of studies
/// do, of which results compress best, and far less than those that are made to fill a disk.
std::int64_t mostUnpacked(std::int64_t packedBytes);
inline constexpr std::int64_t kMostUnpackedFiles = 100'000;

/// Unpacks a zip archive into a new folder, whole or not at all; names in it are UTF-8 whatever the locale. Nothing
/// leaves the folder: names that lead out of it, links and what is neither file nor folder are refused. Errors: no
/// archive, a damaged one, two files of one name, one that unpacks to more than mostUnpacked(), a folder that is not
/// empty.
Result<Done> unpackZip(const std::filesystem::path &path, const std::filesystem::path &folder,
                       const JobControl &control);

} // namespace headscope
