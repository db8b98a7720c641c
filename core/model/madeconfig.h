#pragma once

#include "core/base/result.h"
#include "core/io/checkpoint.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headscope {

/// Whether the weights say what a model is, and no config.json: fairseq's folders, Marian's, models in GGUF.
bool isSaidByWeights(const std::filesystem::path &model);

/// The config.json that such a model would have.
Result<nlohmann::json> configOfWeights(const Checkpoint &checkpoint, const std::filesystem::path &model);

} // namespace headscope
