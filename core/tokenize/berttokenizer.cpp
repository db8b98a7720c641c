#include "core/tokenize/familytokenizers.h"

#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr SpecialToken kSpecial[] = {
    {"unk_token", "[UNK]"}, {"sep_token", "[SEP]"},   {"pad_token", "[PAD]"},
    {"cls_token", "[CLS]"}, {"mask_token", "[MASK]"},
};
constexpr const SpecialToken &kUnknown = kSpecial[0];
constexpr const SpecialToken &kSeparator = kSpecial[1];
constexpr const SpecialToken &kClassifier = kSpecial[3];

/// One piece per line, its number is the id; of equal lines the last one counts.
Result<nlohmann::json> readVocabularyLines(const std::filesystem::path &path)
{
    if (const auto regular = requireRegularFile(path); !regular.isOk())
        return regular.error();
    const auto lines = readLines(path, {}, kLargestJson);
    if (!lines.isOk())
        return lines.error();
    nlohmann::json vocabulary = nlohmann::json::object();
    std::uint64_t id = 0;
    for (const std::string &line : lines.value())
        vocabulary[line] = id++;
    if (vocabulary.empty())
        return badInput(path.string() + " is empty");
    return vocabulary;
}

nlohmann::json normalizer(const TokenizerFiles &files)
{
    nlohmann::json normalizer{{"type", "BertNormalizer"},
                              {"clean_text", true},
                              {"handle_chinese_chars", setting(files, "tokenize_chinese_chars", true)},
                              {"lowercase", setting(files, "do_lower_case", true)}};
    if (files.tokenizerConfig.contains("strip_accents"))
        normalizer["strip_accents"] = files.tokenizerConfig["strip_accents"];
    return normalizer;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openBertTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files, JsonRules::Bert);
    const std::filesystem::path path = files.folder / "vocab.txt";
    if (!files.has("vocab.txt"))
        return badInput(fmt::format("{} has neither tokenizer.json nor vocab.txt", files.folder.string()));
    auto vocabulary = readVocabularyLines(path);
    if (!vocabulary.isOk())
        return vocabulary.error();
    const auto cls = tokenWithId(files, kClassifier, vocabulary.value());
    const auto sep = tokenWithId(files, kSeparator, vocabulary.value());
    const auto unknown = tokenWithId(files, kUnknown, vocabulary.value());
    for (const auto *token : {&cls, &sep, &unknown})
        if (!token->isOk())
            return token->error();
    nlohmann::json json{{"normalizer", normalizer(files)},
                        {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                        {"post_processor", {{"type", "BertProcessing"}, {"cls", cls.value()}, {"sep", sep.value()}}},
                        {"decoder", {{"type", "WordPiece"}}}};
    const auto added = addSpecialTokens(json, files, kSpecial, vocabulary.value());
    if (!added.isOk())
        return added.error();
    addNamedTokens(json, files, vocabulary.value());
    json["model"] = {{"type", "WordPiece"}, {"unk_token", unknown.value()[0]}};
    json["model"]["vocab"] = std::move(vocabulary).value();
    return tokenizerFromJson(json, path.string(), files);
}

} // namespace headscope
