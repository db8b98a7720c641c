#pragma once

#include "core/tokenize/tokenizersettings.h"

#include <memory>

namespace headscope {

/// What RoBERTa shares with its relatives of other vocabularies.
inline constexpr SpecialToken kRobertaSpecial[]
    = {{"bos_token", "<s>"},   {"eos_token", "</s>"}, {"unk_token", "<unk>"},        {"sep_token", "</s>"},
       {"pad_token", "<pad>"}, {"cls_token", "<s>"},  {"mask_token", "<mask>", true}};
inline constexpr const SpecialToken &kRobertaSeparator = kRobertaSpecial[3];
inline constexpr const SpecialToken &kRobertaClassifier = kRobertaSpecial[5];

/// RoBERTa: tokenizer.json, or byte-level BPE with vocab.json and merges.txt.
Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files);

} // namespace headscope
