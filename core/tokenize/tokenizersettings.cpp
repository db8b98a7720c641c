#include "core/tokenize/tokenizersettings.h"

#include "core/formats/jsonfile.h"

#include <fmt/format.h>

#include <set>

namespace headscope {
namespace {

nlohmann::json &addedTokens(nlohmann::json &tokenizer)
{
    if (!tokenizer.contains("added_tokens") || tokenizer["added_tokens"].is_null())
        tokenizer["added_tokens"] = nlohmann::json::array();
    return tokenizer["added_tokens"];
}

/// The contents of the tokens that are there.
std::set<std::string> contentsOf(const nlohmann::json &tokens)
{
    std::set<std::string> contents;
    for (const nlohmann::json &token : tokens)
        if (token.is_object() && token.contains("content") && token["content"].is_string())
            contents.insert(token["content"].get<std::string>());
    return contents;
}

/// What the settings say of a special token, when they say more than its text.
nlohmann::json describedToken(const TokenizerFiles &files, const SpecialToken &special)
{
    nlohmann::json token{{"content", files.specialToken(special.key, special.fallback)},
                         {"lstrip", special.stripsLeft},
                         {"normalized", special.isNormalized}};
    for (const nlohmann::json *settings : {&files.tokenizerConfig, &files.specialTokens}) {
        const auto found = settings->find(special.key);
        if (found == settings->end())
            continue;
        for (const char *flag : {"lstrip", "rstrip", "single_word", "normalized"})
            if (found->is_object() && found->contains(flag))
                token[flag] = (*found)[flag];
        break;
    }
    token["special"] = true;
    return token;
}

} // namespace

bool cleansUp(const TokenizerFiles &files)
{
    return setting(files, "clean_up_tokenization_spaces", true);
}

bool setting(const TokenizerFiles &files, const char *key, bool fallback)
{
    const auto found = files.tokenizerConfig.find(key);
    return found != files.tokenizerConfig.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

void addConfiguredTokens(nlohmann::json &tokenizer, const TokenizerFiles &files)
{
    const auto configured = files.tokenizerConfig.find("added_tokens_decoder");
    if (configured == files.tokenizerConfig.end() || !configured->is_object() || !addedTokens(tokenizer).is_array())
        return;
    const std::set<std::string> known = contentsOf(addedTokens(tokenizer));
    for (const auto &[id, token] : configured->items()) {
        if (!token.is_object() || !token.contains("content") || !token["content"].is_string()
            || known.contains(token["content"].get<std::string>()))
            continue;
        nlohmann::json added = token;
        const bool isNumber = !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
        added["id"] = isNumber ? nlohmann::json(static_cast<std::uint64_t>(std::stoll(id))) : nlohmann::json(id);
        addedTokens(tokenizer).push_back(std::move(added));
    }
}

Result<Done> addSpecialTokens(nlohmann::json &tokenizer, const TokenizerFiles &files,
                              std::span<const SpecialToken> special, const nlohmann::json &vocabulary)
{
    addConfiguredTokens(tokenizer, files);
    nlohmann::json &tokens = addedTokens(tokenizer);
    std::set<std::string> known = contentsOf(tokens);
    for (const SpecialToken &one : special) {
        nlohmann::json token = describedToken(files, one);
        const std::string content = token["content"].get<std::string>();
        if (vocabulary.contains(content) && known.insert(content).second)
            tokens.push_back(std::move(token));
    }
    if (!files.has("added_tokens.json"))
        return Done{};
    const auto more = readJsonFile(files.folder / "added_tokens.json");
    if (!more.isOk())
        return more.error();
    if (!more.value().is_object())
        return badInput((files.folder / "added_tokens.json").string() + " must hold a JSON object from tokens to ids");
    for (const auto &[content, id] : more.value().items())
        if (known.insert(content).second)
            tokens.push_back({{"content", content}, {"id", id}, {"special", false}});
    return Done{};
}

Result<nlohmann::json> tokenWithId(const TokenizerFiles &files, const SpecialToken &token,
                                   const nlohmann::json &vocabulary)
{
    const std::string content = files.specialToken(token.key, token.fallback);
    if (!vocabulary.contains(content))
        return badInput(
            fmt::format("the vocabulary of {} lacks the special token \"{}\"", files.folder.string(), content));
    return nlohmann::json::array({content, vocabulary[content]});
}

} // namespace headscope
