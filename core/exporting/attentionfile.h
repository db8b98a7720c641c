#pragma once

#include "core/base/result.h"
#include "core/results/results.h"

#include <filesystem>
#include <span>

namespace headscope {

/// Writes attention maps as safetensors: per sentence (numbered from 0) and head a tensor "0.encoder.2.6" of float32
/// [queries, keys]. Metadata hold per sentence the texts ("0.source", "0.target"), what a classifier says
/// ("0.predicted"), and the pieces as JSON lists ("0.source_tokens", "0.target_tokens", "0.source_segments").
Result<Done> writeAttentionFile(const std::filesystem::path &path, std::span<const AttentionResult> sentences);

} // namespace headscope
