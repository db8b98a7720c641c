#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Writes tensors of any device and layout as one safetensors file, atomically. `metadata` gets "format": "pt" when it
/// has no "format", since older versions of transformers refuse files without. Errors: two tensors of one name, a dtype
/// that the format lacks, an unwritable folder.
Result<Done> writeSafetensors(const std::filesystem::path &path,
                              const std::vector<std::pair<std::string, torch::Tensor>> &tensors,
                              std::map<std::string, std::string> metadata = {});

} // namespace headscope
