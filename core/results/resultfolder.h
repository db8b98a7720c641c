#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/results/modelstable.h"

#include <cstdint>
#include <filesystem>

namespace headscope {

/// The models that the results in a folder are of.
struct ModelsInFolder
{
    ModelsTable table;        ///< models and data by name, a line for every two that results are of
    std::int64_t results = 0; ///< that were read
    std::int64_t damaged = 0; ///< files that look like results and are none
    bool more = false;        ///< there were more files than kMostResultFiles
};
inline constexpr std::int64_t kMostResultFiles = 20000;

/// Reads every result (JSON, as commands and studies write it) in a folder and the folders in it, hidden ones left out;
/// partial results are passed over. Errors: no such folder.
Result<ModelsInFolder> modelsInFolder(const std::filesystem::path &folder, const JobControl &control);

} // namespace headscope
