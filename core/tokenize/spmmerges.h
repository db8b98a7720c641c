#pragma once

#include "core/tokenize/spmfile.h"

#include <nlohmann/json.hpp>

namespace headscope {

/// The merges of a BPE model of SentencePiece, which has none: every way to put a piece together from two others, the best
/// score first. Errors: pieces too long to be any.
Result<nlohmann::json> mergesOf(const std::vector<SpmFile::Piece> &pieces);

} // namespace headscope
