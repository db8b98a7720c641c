#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/languagecodes.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {
namespace {

using pipeline::PostProcessor;
using Item = PostProcessor::Item;

constexpr SpecialToken kMbartSpecial[]
    = {{"bos_token", "<s>"},   {"eos_token", "</s>"}, {"unk_token", "<unk>"},        {"sep_token", "</s>"},
       {"pad_token", "<pad>"}, {"cls_token", "<s>"},  {"mask_token", "<mask>", true}};
constexpr SpecialToken kMbart50Special[]
    = {{"eos_token", "</s>"},  {"unk_token", "<unk>"}, {"sep_token", "</s>"},
       {"pad_token", "<pad>"}, {"cls_token", "<s>"},   {"mask_token", "<mask>", true, true}};
constexpr const SpecialToken &kMaskAsWord = kMbart50Special[5];

/// The differences of the three families.
struct Family
{
    Result<nlohmann::json> (*readOldFiles)(const TokenizerFiles &files);
    bool isLanguageFirst;
    Languages::Start start;
};

std::vector<std::string> copied(std::span<const std::string_view> codes)
{
    return {codes.begin(), codes.end()};
}

Result<nlohmann::json> readPieces(const TokenizerFiles &files, std::span<const SpecialToken> special,
                                  std::span<const std::string_view> codes)
{
    std::vector<std::string> back = copied(codes);
    back.emplace_back("<mask>");
    auto pipeline = readSpmPipeline(files, fairseqLayout(special, back));
    if (!pipeline.isOk())
        return pipeline.error();
    nlohmann::json json = std::move(pipeline).value().json;
    back.pop_back();
    addMoreSpecial(json, back);
    return json;
}

Result<nlohmann::json> readMbart(const TokenizerFiles &files)
{
    return readPieces(files, kMbartSpecial, mbartLanguages());
}

Result<nlohmann::json> readMbart50(const TokenizerFiles &files)
{
    return readPieces(files, kMbart50Special, mbart50Languages());
}

bool namesLanguages(const nlohmann::json &tokens)
{
    return tokens.is_array() && std::ranges::any_of(tokens, [](const nlohmann::json &token) {
               return token.is_object() && token.contains("content") && token["content"].is_string()
                   && isLanguageCode(token["content"].get_ref<const std::string &>());
           });
}

void addLanguages(nlohmann::json &json, const TokenizerFiles &files)
{
    std::uint64_t id = json["model"]["vocab"].size();
    for (const std::string_view code : nllbLanguages())
        json["added_tokens"].push_back({{"content", code}, {"id", id++}, {"normalized", false}, {"special", true}});
    json["added_tokens"].push_back({{"content", files.specialToken(kMaskAsWord.key, kMaskAsWord.fallback)},
                                    {"id", id},
                                    {"lstrip", kMaskAsWord.stripsLeft},
                                    {"normalized", kMaskAsWord.isNormalized},
                                    {"special", true}});
}

/// After the pieces come the languages and then <mask>, unless tokenizer_config.json says which ids they have.
Result<nlohmann::json> readNllb(const TokenizerFiles &files)
{
    SpmLayout layout = fairseqLayout(kMbartSpecial, {});
    layout.isOpen = true;
    auto pipeline = readSpmPipeline(files, layout);
    if (!pipeline.isOk())
        return pipeline.error();
    nlohmann::json json = std::move(pipeline.value().json);
    if (!namesLanguages(json["added_tokens"]))
        addLanguages(json, files);
    addNamedTokens(json, files, pipeline.value().ids);
    return json;
}

/// Special tokens that are spelt like codes of languages, and those of any spelling that were asked for by name.
std::vector<LanguageToken> languageTokens(const pipeline::AddedTokens &added, const TokenizerOptions &options)
{
    std::vector<LanguageToken> tokens;
    for (const auto &[id, token] : added.all()) {
        const bool isAsked = token.isSpecial && !token.content.starts_with('<')
                          && (token.content == options.sourceLanguage || token.content == options.targetLanguage);
        if (isLanguageCode(token.content) || isAsked)
            tokens.push_back({token.content, token.content, id});
    }
    return tokens;
}

/// The end token and the language's, if there is one, around a text or two with nothing between them.
PostProcessor around(const Item &end, const LanguageToken *language, bool isLanguageFirst)
{
    PostProcessor::Template front;
    PostProcessor::Template back{end};
    if (language)
        (isLanguageFirst ? front : back).push_back({Item::Kind::Special, 0, language->id, language->token});
    const auto layout = [&](bool isPair) {
        PostProcessor::Template items = front;
        items.push_back({Item::Kind::First, 0, 0, {}});
        if (isPair)
            items.push_back({Item::Kind::Second, 0, 0, {}});
        items.insert(items.end(), back.begin(), back.end());
        return items;
    };
    return {layout(false), layout(true)};
}

Result<std::unique_ptr<Tokenizer>> open(const TokenizerFiles &files, const Family &family)
{
    const auto json = files.has("tokenizer.json") ? readTokenizerJson(files) : family.readOldFiles(files);
    if (!json.isOk())
        return json.error();
    return fromParts(files, json.value(), "sentencepiece.bpe.model", [&](pipeline::Components &parts) {
        const std::vector<LanguageToken> tokens = languageTokens(parts.added, files.options);
        parts.languages = chooseLanguages(files, tokens, family.start).valueOrThrow();
        const Item end = parts.special(files.specialToken("eos_token", "</s>"));
        parts.postProcessor = around(end, findLanguage(tokens, parts.languages.source), family.isLanguageFirst);
        parts.targetPostProcessor = around(end, findLanguage(tokens, parts.languages.target), family.isLanguageFirst);
    });
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openMbartTokenizer(const TokenizerFiles &files)
{
    return open(files, {readMbart, false, Languages::Start::StartToken});
}

Result<std::unique_ptr<Tokenizer>> openMbart50Tokenizer(const TokenizerFiles &files)
{
    return open(files, {readMbart50, true, Languages::Start::ForcedFirst});
}

Result<std::unique_ptr<Tokenizer>> openNllbTokenizer(const TokenizerFiles &files)
{
    const bool isLegacy = setting(files, "legacy_behaviour", false);
    return open(files, {readNllb, !isLegacy, Languages::Start::ForcedFirst});
}

} // namespace headscope
