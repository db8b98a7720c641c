#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// A model that was saved while it was trained.
struct CheckpointFolder
{
    std::filesystem::path folder;
    std::int64_t number = 0; ///< of its epoch or update: what stands after "step" in its name, or else the last number
    std::int64_t stage = 0;  ///< what stands after "stage" in its name: every stage of training counts updates anew
    std::string branch{};    ///< of a repository; empty: the folder's name is its own

    std::string name() const { return branch.empty() ? folder.filename().string() : branch; }
};

/// The models in a folder of a training run, by stages and numbers: every folder in it that holds a config.json and has
/// a number in its name ("epoch-003", "checkpoint-1500", "step1000", "stage1-step1000-tokens3B"); or of the folder that
/// Hugging Face's cache has of a model (models--org--name) the branches with such names that were fetched. Errors: no
/// such folder, none in it.
Result<std::vector<CheckpointFolder>> checkpointFolders(const std::filesystem::path &run);

/// `count` of them whose numbers are about equally far apart in their logarithms, the first and the last among them,
/// and one with the number 0 besides; all, if there are no more.
std::vector<CheckpointFolder> logSpaced(const std::vector<CheckpointFolder> &all, std::int64_t count);

} // namespace headscope
