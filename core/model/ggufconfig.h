#pragma once

#include "core/base/result.h"
#include "core/io/checkpoint.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headscope {

/// The config.json that a model in GGUF would have: from what its file says of it and its tensors. Errors: keys that
/// are missing, and values that would change numbers and are not known, each by its key.
Result<nlohmann::json> ggufConfig(const Checkpoint &checkpoint, const std::filesystem::path &file);

} // namespace headscope
