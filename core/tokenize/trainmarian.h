#pragma once

#include "core/tokenize/sentencepiece.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace headscope {

/// Learns the vocabulary of a new Marian model from parallel sentences and writes its tokenizer files into `folder`:
/// source.spm, target.spm (equal bytes when `joint`), vocab.json (</s> 0, <unk> 1, pieces, <pad> last) and
/// tokenizer_config.json. Returns the size of the vocabulary.
Result<std::int64_t> trainMarianTokenizer(const std::filesystem::path &folder, std::span<const std::string> source,
                                          std::span<const std::string> target, const SentencePieceTraining &settings,
                                          bool joint);

} // namespace headscope
