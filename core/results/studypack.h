#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

/// A study that travels: one file (zip) with the study, its results, its data and, if wanted, its model.
namespace headscope {

struct PackedStudy
{
    std::vector<std::string> files;    ///< what the archive holds
    std::vector<std::string> problems; ///< results that could not be read, and what was left out, in words
};

/// Packs a study file with everything that it names. Without the model the study goes on naming the model's folder by
/// its absolute path. Errors: a data file or the model is missing, or they are on another machine.
Result<PackedStudy> packStudy(const std::filesystem::path &study, const std::filesystem::path &out, bool withModel,
                              const JobControl &control);

/// Unpacks such a file into a new folder, and says where the study is. Errors: another file, a damaged one, a folder
/// that is not empty.
Result<std::filesystem::path> unpackStudy(const std::filesystem::path &packed, const std::filesystem::path &folder,
                                          const JobControl &control);

} // namespace headscope
