#pragma once

#include "core/tokenize/spmfile.h"

#include <nlohmann/json.hpp>

namespace headscope {

/// The merges of a BPE model of SentencePiece, which has none: every way to put a piece together from two of the
/// `file`'s,
/// the best score first. `pieces`: [[text, score], …], as the tokenizer has them. Errors: pieces too long to be any.
Result<nlohmann::json> mergesOf(const nlohmann::json &pieces, const SpmFile &file);

} // namespace headscope
