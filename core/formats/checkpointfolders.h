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
    std::int64_t number = 0; ///< of its epoch or update: the last number in its name

    std::string name() const { return folder.filename().string(); }
};

/// The models in a folder of a training run (every folder in it that holds a config.json and has a number in its name:
/// "epoch-003", "checkpoint-1500"), by their numbers. Errors: no such folder, none in it.
Result<std::vector<CheckpointFolder>> checkpointFolders(const std::filesystem::path &run);

} // namespace headscope
