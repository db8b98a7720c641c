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

/// clean_up_tokenization_spaces; false where the settings do not say, as since transformers 4.45.
bool cleansUp(const TokenizerFiles &files);

/// A switch of tokenizer_config.json.
bool setting(const TokenizerFiles &files, const char *key, bool fallback);

/// Brings "added_tokens" of the folder's tokenizer.json to what transformers makes of it when it opens the folder:
/// tokens of "added_tokens_decoder" in tokenizer_config.json, or else of added_tokens.json, and special tokens that
/// tokenizer_config.json or special_tokens_map.json name. What they say of a token (lstrip …) wins; a token that
/// neither the list nor the vocabulary has gets the next free id. Errors: damaged files.
Result<Done> addConfiguredTokens(nlohmann::json &tokenizer, const TokenizerFiles &files);

/// For folders without a tokenizer.json, whose vocabulary {piece: id} is not in `tokenizer` yet: tokens of
/// "added_tokens_decoder" or added_tokens.json with the ids that they have there, and the special tokens of a class
/// that the vocabulary has. Errors: damaged files.
Result<Done> addSpecialTokens(nlohmann::json &tokenizer, const TokenizerFiles &files,
                              std::span<const SpecialToken> special, const nlohmann::json &vocabulary);
/// The last step for such folders: special tokens that the settings only name, with the next free ids where
/// `vocabulary` lacks them.
void addNamedTokens(nlohmann::json &tokenizer, const TokenizerFiles &files, const nlohmann::json &vocabulary);

/// [token, id], as BertProcessing and RobertaProcessing have it. Errors: the vocabulary lacks it.
Result<nlohmann::json> tokenWithId(const TokenizerFiles &files, const SpecialToken &token,
                                   const nlohmann::json &vocabulary);

} // namespace headscope
