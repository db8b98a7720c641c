#include "core/tokenize/languages.h"

#include "core/tokenize/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope {
namespace {

constexpr const char *kSourceOption = "--source-language";
constexpr const char *kTargetOption = "--target-language";

/// Some of the codes, those that begin like `wanted` first.
std::string someCodes(std::vector<std::string> codes, std::string_view wanted = {})
{
    constexpr std::size_t kMost = 12;
    const std::string_view beginning = wanted.substr(0, 2);
    std::stable_partition(codes.begin(), codes.end(), [beginning](const std::string &code) {
        return !beginning.empty() && code.starts_with(beginning);
    });
    const std::size_t shown = codes.size() <= kMost + 3 ? codes.size() : kMost;
    const std::size_t more = codes.size() - shown;
    codes.resize(shown);
    return fmt::format("{}{}", fmt::join(codes, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

Error missing(const Languages &languages, const std::string &options)
{
    return usageError(fmt::format("the model translates between {} languages: choose with {} (it knows {})",
                                  languages.known.size(), options, someCodes(languages.known)));
}

std::string textOf(const nlohmann::json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool isLetter(char c, char first)
{
    return c >= first && c < first + 26;
}

/// The language whose token generation begins with.
std::string generatedLanguage(const TokenizerFiles &files, const std::vector<LanguageToken> &tokens)
{
    for (const nlohmann::json *settings : {&files.generation, &files.config})
        for (const char *key : {"forced_bos_token_id", "decoder_start_token_id"}) {
            const auto id = settings->is_object() ? settings->find(key) : settings->end();
            if (id == settings->end() || !id->is_number_integer())
                continue;
            const auto found = std::ranges::find(tokens, id->get<std::int64_t>(), &LanguageToken::id);
            if (found != tokens.end())
                return found->code;
        }
    return {};
}

/// An error where the user asked for what is not there; other files' wishes that cannot be met do not count.
Result<std::string> chosen(const std::string &asked, const std::string &named, const char *option,
                           const std::vector<LanguageToken> &tokens, const std::vector<std::string> &known)
{
    if (!asked.empty() && !findLanguage(tokens, asked))
        return usageError(fmt::format("{}: the model does not know the language \"{}\"; it knows {}", option, asked,
                                      someCodes(known, asked)));
    const std::string &code = asked.empty() ? named : asked;
    return findLanguage(tokens, code) ? code : std::string();
}

} // namespace

Result<Done> Languages::requireSource() const
{
    if (known.empty() || !source.empty())
        return Done{};
    return missing(*this, kSourceOption);
}

Result<Done> Languages::requireTarget() const
{
    if (known.empty() || !target.empty())
        return Done{};
    return missing(*this, kTargetOption);
}

Result<Done> Languages::requireBoth() const
{
    if (known.empty() || !source.empty() || !target.empty())
        return source.empty() ? requireSource() : requireTarget();
    return missing(*this, fmt::format("{} and {}", kSourceOption, kTargetOption));
}

bool isLanguageCode(std::string_view token)
{
    const std::size_t line = token.find('_');
    if (line != 2 && line != 3)
        return false;
    const std::string_view rest = token.substr(line + 1);
    const auto isLower = [](char c) { return isLetter(c, 'a'); };
    if (!std::ranges::all_of(token.substr(0, line), isLower) || rest.empty() || !isLetter(rest[0], 'A'))
        return false;
    return (rest.size() == 2 && isLetter(rest[1], 'A'))
        || (rest.size() == 4 && std::ranges::all_of(rest.substr(1), isLower));
}

const LanguageToken *findLanguage(const std::vector<LanguageToken> &tokens, std::string_view code)
{
    const auto found = std::ranges::find(tokens, code, &LanguageToken::code);
    return found == tokens.end() ? nullptr : &*found;
}

Result<Languages> chooseLanguages(const TokenizerFiles &files, const std::vector<LanguageToken> &tokens,
                                  Languages::Start start)
{
    Languages languages;
    languages.start = start;
    for (const LanguageToken &token : tokens)
        languages.known.push_back(token.code);
    auto source = chosen(files.options.sourceLanguage, textOf(files.tokenizerConfig, "src_lang"), kSourceOption, tokens,
                         languages.known);
    if (!source.isOk())
        return source.error();
    std::string named = textOf(files.tokenizerConfig, "tgt_lang");
    if (!findLanguage(tokens, named))
        named = generatedLanguage(files, tokens);
    auto target = chosen(files.options.targetLanguage, named, kTargetOption, tokens, languages.known);
    if (!target.isOk())
        return target.error();
    languages.source = std::move(source).value();
    languages.target = std::move(target).value();
    if (const LanguageToken *token = findLanguage(tokens, languages.target))
        languages.targetId = token->id;
    return languages;
}

} // namespace headscope
