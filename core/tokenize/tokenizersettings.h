#pragma once

#include "core/tokenize/tokenizer.h"

#include <span>

namespace headscope {

/// A special token as a class of tokenizers knows it when the folder's files say nothing about it.
struct SpecialToken
{
    const char *key; ///< cls_token
    const char *fallback;
    bool stripsLeft = false;   ///< the blank before it belongs to it
    bool isNormalized = false; ///< looked for in the normalised text
};

/// clean_up_tokenization_spaces; true where the settings do not say.
bool cleansUp(const TokenizerFiles &files);

/// A switch of tokenizer_config.json.
bool setting(const TokenizerFiles &files, const char *key, bool fallback);

/// Adds to "added_tokens" of a tokenizer.json what added_tokens_decoder of tokenizer_config.json has besides.
void addConfiguredTokens(nlohmann::json &tokenizer, const TokenizerFiles &files);

/// Also reads added_tokens.json, and takes the special tokens of a class that the vocabulary has: for folders without a
/// tokenizer.json. Errors: damaged files.
Result<Done> addSpecialTokens(nlohmann::json &tokenizer, const TokenizerFiles &files,
                              std::span<const SpecialToken> special, const nlohmann::json &vocabulary);

/// [token, id], as BertProcessing and RobertaProcessing have it. Errors: the vocabulary lacks it.
Result<nlohmann::json> tokenWithId(const TokenizerFiles &files, const SpecialToken &token,
                                   const nlohmann::json &vocabulary);

} // namespace headscope
