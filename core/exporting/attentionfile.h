#pragma once

#include "core/base/result.h"
#include "core/results/attentionresult.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace headscope {

/// Writes attention maps as safetensors: per sentence (numbered by `numbers`, else from 0) and head a tensor
/// "0.encoder.2.6" of float32 [queries, keys]. Metadata hold `common` (the measure of the maps, for instance) and per
/// sentence the texts ("0.source", "0.target"), what a classifier says
/// ("0.predicted"), and the pieces as JSON lists ("0.source_tokens", "0.target_tokens", "0.source_segments").
Result<Done> writeAttentionFile(const std::filesystem::path &path, std::span<const AttentionResult> sentences,
                                std::span<const std::int64_t> numbers = {},
                                const std::map<std::string, std::string> &common = {});

} // namespace headscope
