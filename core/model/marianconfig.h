#pragma once

#include "core/base/result.h"
#include "core/io/checkpoint.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headscope {

/// The model_type of what Marian trained. Hugging Face's "marian" has positions by other divisors and norms with
/// another epsilon, so that its numbers differ a little.
inline constexpr const char *kMarianNmtType = "marian-nmt";

/// The config.json that a folder of Marian's would have: from the options that the checkpoint holds
/// (special:model.yml), its tensors, decoder.yml and the vocabularies. Errors: another architecture than Marian's
/// Transformer with self-attention in the decoder, or a part of it that is not computed, each by Marian's own name.
Result<nlohmann::json> marianConfig(const Checkpoint &checkpoint, const std::filesystem::path &folder);

} // namespace headscope
