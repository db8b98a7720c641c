#pragma once

#include "core/base/result.h"
#include "core/io/checkpoint.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headscope {

/// The config.json that a folder of fairseq's (model_type "fairseq") would have: from the arguments that the checkpoint
/// holds, its tensors and the names of the dictionaries. Errors: another architecture than fairseq's Transformer for
/// translation, or a part of it that is not computed, each by name.
Result<nlohmann::json> fairseqConfig(const Checkpoint &checkpoint, const std::filesystem::path &folder);

} // namespace headscope
