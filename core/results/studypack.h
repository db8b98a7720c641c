#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/results/study.h"

#include <filesystem>
#include <string>
#include <vector>

/// A study that travels: one file (zip) with the study, its results, its data and, if wanted, its model.
namespace headscope {

struct PackedStudy
{
    std::vector<std::string> files; ///< what the archive holds
    /// In words: results that could not be read, and files that were packed from outside the study's folder or, through
    /// links, the model's.
    std::vector<std::string> problems;
};

/// The files of a model's folder that are packed with a study, sorted: not those in its folders, and no weights for
/// other libraries. Empty: it cannot be read.
std::vector<std::filesystem::path> packedModelFiles(const std::filesystem::path &folder);

/// Packs a study file with everything that it names. Without the model the study goes on naming the model's folder by
/// its absolute path. Errors: a data file or the model is missing, or they are on another machine; `out` is one of the
/// files that are packed, or lies in the study's results or, where that is packed, the model's folder.
Result<PackedStudy> packStudy(const std::filesystem::path &study, const std::filesystem::path &out, bool withModel,
                              const JobControl &control);

/// One that is not in a file, or not as it is now: `name` is that of its file in the archive (NAME.headscope).
Result<PackedStudy> packStudy(const Study &study, const StudyResults &results, const std::string &name,
                              const std::filesystem::path &out, bool withModel, const JobControl &control);

/// Unpacks such a file into a new folder, and says where the study is. Errors: another file, a damaged one, a folder
/// that is not empty, what unpackZip() refuses.
Result<std::filesystem::path> unpackStudy(const std::filesystem::path &packed, const std::filesystem::path &folder,
                                          const JobControl &control);

} // namespace headscope
