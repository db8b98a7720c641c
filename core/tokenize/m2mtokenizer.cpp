#include "core/tokenize/familytokenizers.h"

#include "core/formats/jsonfile.h"
#include "core/tokenize/cleanup.h"
#include "core/tokenize/languagecodes.h"
#include "core/tokenize/pipeline/part.h"
#include "core/tokenize/spmvocabulary.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr const char *kModel = "sentencepiece.bpe.model";
constexpr const char *kVocabulary = "vocab.json";

class M2mTokenizer final : public Tokenizer
{
public:
    M2mTokenizer(SpmVocabulary vocabulary, Languages languages, bool cleanUp)
        : m_vocabulary(std::move(vocabulary)), m_languages(std::move(languages)), m_cleanUp(cleanUp)
    {
    }

    Result<Encoding> encodeSource(std::string_view text) const override
    {
        if (const auto chosen = m_languages.requireSource(); !chosen.isOk())
            return chosen.error();
        return encode(m_languages.source, text);
    }

    Result<Encoding> encodeTarget(std::string_view text) const override
    {
        if (const auto chosen = m_languages.requireTarget(); !chosen.isOk())
            return chosen.error();
        return encode(m_languages.target, text);
    }

    std::string decode(std::span<const std::int64_t> ids) const override
    {
        std::string text = m_vocabulary.decode(ids);
        return m_cleanUp ? cleanUpTokenization(std::move(text)) : text;
    }

    std::string pieceText(std::int64_t id) const override { return m_vocabulary.piece(id); }
    bool isSpecial(std::int64_t id) const override { return m_vocabulary.isSpecial(id); }
    std::int64_t vocabularySize() const override { return m_vocabulary.size(); }
    const Languages &languages() const override { return m_languages; }

    std::string description() const override
    {
        return fmt::format("M2M-100: SentencePiece with {} pieces, vocabulary of {} with {} languages",
                           m_vocabulary.pieceCount(), vocabularySize(), m_languages.known.size());
    }

    static std::string tokenOf(std::string_view code) { return fmt::format("__{}__", code); }

private:
    Result<Encoding> encode(std::string_view language, std::string_view text) const
    {
        Encoding encoding;
        m_vocabulary.append(tokenOf(language), encoding);
        if (const auto done = m_vocabulary.encode(text, encoding); !done.isOk())
            return done.error();
        m_vocabulary.appendEnd(encoding);
        return encoding;
    }

    SpmVocabulary m_vocabulary;
    Languages m_languages;
    bool m_cleanUp;
};

/// The code of __en__, empty for other tokens.
std::string codeOf(std::string_view token)
{
    constexpr std::string_view kMark = "__";
    const bool isOne = token.size() > 2 * kMark.size() && token.starts_with(kMark) && token.ends_with(kMark);
    return isOne ? std::string(token.substr(kMark.size(), token.size() - 2 * kMark.size())) : std::string();
}

/// As the folder lists them ("added_tokens"), or else as they were in training, after the vocabulary's `pieces`.
Result<std::vector<LanguageToken>> languageTokens(const TokenizerFiles &files, std::int64_t pieces)
{
    nlohmann::json listed = nlohmann::json::object();
    const auto added = addSpecialTokens(listed, files, {}, nlohmann::json::object());
    if (!added.isOk())
        return added.error();
    std::vector<LanguageToken> tokens;
    for (const nlohmann::json &token : listed["added_tokens"]) {
        const bool isText = token.contains("content") && token["content"].is_string();
        const std::string content = isText ? token["content"].get<std::string>() : std::string();
        const std::int64_t id = token.contains("id") ? pipeline::wholeNumber(token["id"], kLargestTokenId) : -1;
        if (const std::string code = codeOf(content); !code.empty() && id >= 0)
            tokens.push_back({code, content, id});
    }
    if (!tokens.empty())
        return tokens;
    const auto set = files.tokenizerConfig.find("language_codes");
    const bool isWmt21 = set != files.tokenizerConfig.end() && *set == "wmt21";
    for (const std::string_view code : isWmt21 ? wmt21Languages() : m2mLanguages())
        tokens.push_back({std::string(code), M2mTokenizer::tokenOf(code), pieces++});
    return tokens;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openM2mTokenizer(const TokenizerFiles &files)
{
    if (!files.has(kVocabulary))
        return openNllbTokenizer(files);
    if (!files.has(kModel))
        return badInput(fmt::format("{} lacks {}, which an M2M-100 tokenizer needs", files.folder.string(), kModel));
    auto opened
        = SpmVocabulary::open(files.folder / kModel, files.folder / kVocabulary,
                              {files.specialToken("eos_token", "</s>"), files.specialToken("unk_token", "<unk>"),
                               files.specialToken("pad_token", "<pad>")});
    if (!opened.isOk())
        return opened.error();
    SpmVocabulary vocabulary = std::move(opened).value();
    if (const std::string begin = files.specialToken("bos_token", "<s>"); vocabulary.find(begin) >= 0)
        vocabulary.markSpecial(begin);
    const auto tokens = languageTokens(files, vocabulary.size());
    if (!tokens.isOk())
        return tokens.error();
    for (const LanguageToken &token : tokens.value())
        if (const auto done = vocabulary.addSpecial(token.token, token.id); !done.isOk())
            return badInput(files.folder.string() + ": " + done.error().message);
    auto languages = chooseLanguages(files, tokens.value(), Languages::Start::ForcedFirst);
    if (!languages.isOk())
        return languages.error();
    return std::unique_ptr<Tokenizer>(
        std::make_unique<M2mTokenizer>(std::move(vocabulary), std::move(languages).value(), cleansUp(files)));
}

} // namespace headscope
