#pragma once

#include "core/tokenize/sentencepiece.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace headscope {

/// Learns the vocabulary of a new BERT model from texts and writes its tokenizer files into `folder`: vocab.txt ([PAD]
/// 0, [UNK], [CLS], [SEP], [MASK], characters, pieces) and tokenizer_config.json. Texts are taken apart as BERT does
/// it; letters keep their case unless the normalization folds it ("…_cf"). Pieces are SentencePiece's, and every
/// character of the texts is a piece too, so that no word of theirs is unknown. Returns the size of the vocabulary,
/// which is above settings.size only where the characters alone are.
Result<std::int64_t> trainBertTokenizer(const std::filesystem::path &folder, std::span<const std::string> texts,
                                        const SentencePieceTraining &settings);

} // namespace headscope
