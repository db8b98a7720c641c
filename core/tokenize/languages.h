#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct TokenizerFiles;

/// The languages of a multilingual model, and which two of them it is to translate between.
struct Languages
{
    /// How the decoder learns what to write.
    enum class Start {
        ForcedFirst, ///< its first token after the start token has to be the language's
        StartToken,  ///< the language's token is the start token
    };

    std::vector<std::string> known; ///< codes as users give them; empty: a model of one pair of languages
    std::string source;             ///< empty: not chosen
    std::string target;
    std::int64_t targetId = -1; ///< of the target language's token; -1: not chosen
    Start start = Start::ForcedFirst;

    /// Errors: none was chosen though the model has several.
    Result<Done> requireSource() const;
    Result<Done> requireTarget() const;
    /// Both. One message says all that is missing.
    Result<Done> requireBoth() const;
};

/// A language that a tokenizer knows.
struct LanguageToken
{
    std::string code;  ///< en
    std::string token; ///< __en__
    std::int64_t id = 0;
};

/// Whether a token reads as the language codes of mBART and NLLB do: en_XX, eng_Latn.
bool isLanguageCode(std::string_view token);

/// The user's choice, or else that of the folder's files: src_lang and tgt_lang, the first token that generation
/// forces, or its start token. Errors: languages that the user chose and the model does not know.
Result<Languages> chooseLanguages(const TokenizerFiles &files, const std::vector<LanguageToken> &tokens,
                                  Languages::Start start);

/// The token of a chosen language, nullptr for none ("").
const LanguageToken *findLanguage(const std::vector<LanguageToken> &tokens, std::string_view code);

} // namespace headscope
