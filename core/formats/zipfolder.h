#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

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
/// stored as they are. Progress counts files. Errors name the file that cannot be read or written.
Result<Done> writeZip(const std::filesystem::path &path, const std::vector<ZipSource> &files,
                      const JobControl &control);

/// Unpacks a zip archive into a new folder, whole or not at all. Nothing leaves the folder: names that lead out of it,
/// links and what is neither file nor folder are refused. Errors: no archive, a damaged one, a folder that is not
/// empty.
Result<Done> unpackZip(const std::filesystem::path &path, const std::filesystem::path &folder,
                       const JobControl &control);

} // namespace headscope
