#include "core/tokenize/tokenizersettings.h"

#include "core/base/parsednumber.h"
#include "core/formats/jsonfile.h"
#include "core/tokenize/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

nlohmann::json &addedTokens(nlohmann::json &tokenizer)
{
    if (!tokenizer.contains("added_tokens") || tokenizer["added_tokens"].is_null())
        tokenizer["added_tokens"] = nlohmann::json::array();
    return tokenizer["added_tokens"];
}

/// "content" of a token, empty where it has none.
std::string contentOf(const nlohmann::json &token)
{
    const auto found = token.is_object() ? token.find("content") : token.end();
    return found != token.end() && found->is_string() ? found->get<std::string>() : std::string();
}

constexpr const char *kFlags[] = {"lstrip", "rstrip", "single_word", "normalized"};

/// The settings of a special token, when they say more than its text.
nlohmann::json describedToken(const TokenizerFiles &files, const SpecialToken &special)
{
    nlohmann::json token{{"content", files.specialToken(special.key, special.fallback)},
                         {"lstrip", special.stripsLeft},
                         {"normalized", special.isNormalized}};
    for (const nlohmann::json *settings : {&files.specialTokens, &files.tokenizerConfig}) {
        const auto found = settings->find(special.key);
        if (found == settings->end())
            continue;
        for (const char *flag : kFlags)
            if (found->is_object() && found->contains(flag))
                token[flag] = (*found)[flag];
        break;
    }
    token["special"] = true;
    return token;
}

/// A token that the settings name: a text, or an object that says more.
struct NamedToken
{
    nlohmann::json token;  ///< with "content", and "special": true
    bool isPlain = true;   ///< a text
    bool isListed = false; ///< in "additional_special_tokens" or "extra_special_tokens"
};

void appendNamed(const nlohmann::json &value, bool isListed, std::vector<NamedToken> &named)
{
    if (value.is_array() || (value.is_object() && !value.contains("content"))) {
        for (const nlohmann::json &member : value)
            if (!member.is_array())
                appendNamed(member, true, named);
        return;
    }
    const std::string content = value.is_string() ? value.get<std::string>() : contentOf(value);
    const bool isThere
        = std::ranges::any_of(named, [&](const NamedToken &token) { return token.token["content"] == content; });
    if (content.empty() || isThere)
        return;
    NamedToken token{{{"content", content}, {"special", true}}, value.is_string(), isListed};
    for (const char *flag : kFlags)
        if (value.is_object() && value.contains(flag))
            token.token[flag] = value[flag];
    named.push_back(std::move(token));
}

/// All special tokens that the settings name, in transformers' order.
std::vector<NamedToken> namedTokens(const TokenizerFiles &files)
{
    constexpr std::string_view kNames[] = {"bos_token", "eos_token", "unk_token",  "sep_token",
                                           "pad_token", "cls_token", "mask_token", "additional_special_tokens"};
    std::vector<NamedToken> named;
    const auto append = [&](const nlohmann::json &settings, std::string_view key) {
        if (const auto found = settings.find(key); found != settings.end())
            appendNamed(*found, false, named);
    };
    for (const std::string_view key : kNames) {
        const bool isList = key.ends_with("tokens");
        if (isList || !files.specialTokens.contains(key))
            append(files.tokenizerConfig, key);
        append(files.specialTokens, key);
    }
    for (const nlohmann::json *settings : {&files.tokenizerConfig, &files.specialTokens})
        append(*settings, "extra_special_tokens");
    for (const auto &[key, value] : files.tokenizerConfig.items()) // tokens of one model ("image_token")
        if (key.ends_with("_token") && value.is_string()
            && std::ranges::find(kNames, std::string_view(key)) == std::end(kNames))
            appendNamed(value, false, named);
    return named;
}

bool isNamed(const std::vector<NamedToken> &named, const std::string &content)
{
    return std::ranges::any_of(named, [&](const NamedToken &token) { return token.token["content"] == content; });
}

/// The tokens of "added_tokens_decoder" by their ids, or else those of added_tokens.json. Errors: a damaged file.
Result<std::vector<nlohmann::json>> decoderTokens(const TokenizerFiles &files, const std::vector<NamedToken> &named)
{
    std::vector<nlohmann::json> tokens;
    const auto configured = files.tokenizerConfig.find("added_tokens_decoder");
    if (configured != files.tokenizerConfig.end() && configured->is_object()) {
        for (const auto &[id, token] : configured->items()) {
            if (contentOf(token).empty())
                continue;
            tokens.push_back(token);
            const auto number = parsedNumber<std::uint32_t>(id);
            tokens.back()["id"] = number ? nlohmann::json(*number) : nlohmann::json(id);
        }
    } else if (files.has("added_tokens.json")) {
        const auto more = readJsonFile(files.folder / "added_tokens.json");
        if (!more.isOk())
            return more.error();
        if (!more.value().is_object())
            return badInput((files.folder / "added_tokens.json").string()
                            + " must hold a JSON object from tokens to ids");
        for (const auto &[content, id] : more.value().items())
            tokens.push_back({{"content", content}, {"id", id}, {"special", isNamed(named, content)}});
    }
    std::ranges::stable_sort(tokens,
                             [](const nlohmann::json &a, const nlohmann::json &b) { return a["id"] < b["id"]; });
    for (nlohmann::json &token : tokens)
        if (isNamed(named, contentOf(token)))
            token["special"] = true;
    return tokens;
}

/// A list of added tokens as it grows, over the pieces of a vocabulary.
class TokenList
{
public:
    /// `pieces`: {piece: id}, or [[piece, score], …] by id.
    TokenList(nlohmann::json &tokens, const nlohmann::json &pieces) : m_tokens(tokens), m_pieces(pieces)
    {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            m_places.emplace(contentOf(tokens[i]), i);
    }

    bool has(const std::string &content) const { return m_places.contains(content); }
    /// Settings in `token` of a token that is there wins. A new one keeps the id that it has where `keepsId`, otherwise
    /// it gets that of its piece or the next one.
    void put(nlohmann::json token, bool keepsId = false)
    {
        const std::string content = contentOf(token);
        if (const auto found = m_places.find(content); found != m_places.end()) {
            nlohmann::json &old = m_tokens[found->second];
            token["id"] = old.value("id", nlohmann::json());
            old = std::move(token);
            return;
        }
        if (!keepsId && !hasPiece(content))
            token["id"] = nextId();
        m_places.emplace(content, m_tokens.size());
        m_tokens.push_back(std::move(token));
    }

private:
    bool hasPiece(const std::string &content) const
    {
        if (m_pieces.is_object())
            return m_pieces.contains(content);
        return std::ranges::any_of(m_pieces, [&](const nlohmann::json &piece) {
            return piece.is_array() && !piece.empty() && piece[0] == content;
        });
    }

    std::uint64_t nextId() const
    {
        std::uint64_t next = m_pieces.size();
        for (const nlohmann::json &token : m_tokens) {
            const auto id = token.is_object() ? token.find("id") : token.end();
            if (id != token.end() && id->is_number_unsigned() && id->get<std::uint64_t>() < kLargestTokenId)
                next = std::max(next, id->get<std::uint64_t>() + 1);
        }
        return next;
    }

    nlohmann::json &m_tokens;
    const nlohmann::json &m_pieces;
    std::map<std::string, std::size_t> m_places;
};

} // namespace

bool cleansUp(const TokenizerFiles &files)
{
    return setting(files, "clean_up_tokenization_spaces", false);
}

bool setting(const TokenizerFiles &files, const char *key, bool fallback)
{
    const auto found = files.tokenizerConfig.find(key);
    return found != files.tokenizerConfig.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

Result<Done> addConfiguredTokens(nlohmann::json &tokenizer, const TokenizerFiles &files)
{
    const auto model = tokenizer.find("model");
    if (!addedTokens(tokenizer).is_array() || model == tokenizer.end() || !model->is_object()
        || !model->contains("vocab") || !model->at("vocab").is_structured())
        return Done{}; // refused where it is read
    const std::vector<NamedToken> named = namedTokens(files);
    const auto decoder = decoderTokens(files, named);
    if (!decoder.isOk())
        return decoder.error();
    TokenList list(addedTokens(tokenizer), tokenizer.at("model").at("vocab"));
    // Without "added_tokens_decoder" the file's own tokens are the list that names are looked up in.
    const bool knowsFile = !files.tokenizerConfig.contains("added_tokens_decoder");
    std::set<std::string> known;
    for (const nlohmann::json &token : addedTokens(tokenizer))
        if (knowsFile)
            known.insert(contentOf(token));
    for (const nlohmann::json &token : decoder.value()) {
        if (knowsFile && list.has(contentOf(token)))
            continue;
        known.insert(contentOf(token));
        list.put(token);
    }
    for (const NamedToken &token : named) {
        const std::string content = contentOf(token.token);
        const bool isSettled = token.isPlain ? list.has(content) : !token.isListed && known.contains(content);
        if (!isSettled)
            list.put(token.token);
    }
    return Done{};
}

Result<Done> addSpecialTokens(nlohmann::json &tokenizer, const TokenizerFiles &files,
                              std::span<const SpecialToken> special, const nlohmann::json &vocabulary)
{
    const std::vector<NamedToken> named = namedTokens(files);
    const auto decoder = decoderTokens(files, named);
    if (!decoder.isOk())
        return decoder.error();
    TokenList list(addedTokens(tokenizer), vocabulary);
    for (const nlohmann::json &token : decoder.value())
        if (!list.has(contentOf(token)))
            list.put(token, true);
    for (const SpecialToken &one : special) {
        nlohmann::json token = describedToken(files, one);
        const std::string content = contentOf(token);
        if (vocabulary.contains(content) && !list.has(content))
            list.put(std::move(token), true);
    }
    return Done{};
}

void addNamedTokens(nlohmann::json &tokenizer, const TokenizerFiles &files, const nlohmann::json &vocabulary)
{
    TokenList list(addedTokens(tokenizer), vocabulary);
    for (const NamedToken &token : namedTokens(files))
        if (!list.has(contentOf(token.token)))
            list.put(token.token);
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
