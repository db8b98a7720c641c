#include "core/tokenize/tokenizer.h"

#include "core/formats/jsonfile.h"
#include "core/tokenize/berttokenizer.h"
#include "core/tokenize/mariantokenizer.h"
#include "core/tokenize/robertatokenizer.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/xlmrobertatokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headscope {
namespace {

/// A kind of tokenizer: a new one is one more file and one more line here.
struct Kind
{
    std::string_view modelType;
    std::string_view tokenizerClass; ///< without "Fast"
    Result<std::unique_ptr<Tokenizer>> (*open)(const TokenizerFiles &files);
};

constexpr Kind kKinds[] = {
    {"bert", "BertTokenizer", openBertTokenizer},
    {"camembert", "CamembertTokenizer", openCamembertTokenizer},
    {"distilbert", "DistilBertTokenizer", openBertTokenizer},
    {"electra", "ElectraTokenizer", openBertTokenizer},
    {"marian", "MarianTokenizer", openMarianTokenizer},
    {"roberta", "RobertaTokenizer", openRobertaTokenizer},
    {"xlm-roberta", "XLMRobertaTokenizer", openXlmRobertaTokenizer},
};

/// Classes that stand for any tokenizer.json: the model's type tells what is in the other files.
constexpr std::string_view kAnyClass[] = {"PreTrainedTokenizer", "TokenizersBackend"};

constexpr const char *kTokenizerFiles[] = {"tokenizer.json", "vocab.txt",  "vocab.json",
                                           "source.spm",     "target.spm", "spiece.model",
                                           "merges.txt",     "sentencepiece.bpe.model"};

Result<nlohmann::json> readSettings(const std::filesystem::path &path)
{
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return nlohmann::json::object();
    auto json = readJsonFile(path);
    if (json.isOk() && !json.value().is_object())
        return badInput(path.string() + " must hold a JSON object");
    return json;
}

std::string textOf(const nlohmann::json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The class that tokenizer_config.json names decides; the model's type does where it names none.
const Kind *findKind(std::string tokenizerClass, const std::string &modelType)
{
    if (tokenizerClass.ends_with("Fast"))
        tokenizerClass.resize(tokenizerClass.size() - 4);
    if (std::find(std::begin(kAnyClass), std::end(kAnyClass), tokenizerClass) != std::end(kAnyClass))
        tokenizerClass.clear();
    const auto *found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &kind) {
        return tokenizerClass.empty() ? kind.modelType == modelType : kind.tokenizerClass == tokenizerClass;
    });
    return found == std::end(kKinds) ? nullptr : found;
}

} // namespace

std::string TokenizerFiles::specialToken(const char *key, const std::string &fallback) const
{
    for (const nlohmann::json *settings : {&tokenizerConfig, &specialTokens}) {
        const auto found = settings->find(key);
        if (found == settings->end())
            continue;
        if (found->is_string())
            return found->get<std::string>();
        if (const std::string content = textOf(*found, "content"); !content.empty())
            return content;
    }
    return fallback;
}

Result<Encoding> Tokenizer::encodePair(std::string_view, std::optional<std::string_view>, std::size_t) const
{
    return usageError("this tokenizer takes single texts only, no pairs and no largest length");
}

Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path &folder, const nlohmann::json &config)
{
    TokenizerFiles files{folder, config, {}, {}};
    if (std::none_of(std::begin(kTokenizerFiles), std::end(kTokenizerFiles),
                     [&](const char *file) { return files.has(file); }))
        return std::unique_ptr<Tokenizer>();
    auto settings = readSettings(folder / "tokenizer_config.json");
    if (!settings.isOk())
        return settings.error();
    files.tokenizerConfig = std::move(settings).value();
    auto special = readSettings(folder / "special_tokens_map.json");
    if (!special.isOk())
        return special.error();
    files.specialTokens = std::move(special).value();

    std::string tokenizerClass = textOf(files.tokenizerConfig, "tokenizer_class");
    if (tokenizerClass.empty())
        tokenizerClass = textOf(config, "tokenizer_class");
    const std::string modelType = textOf(config, "model_type");
    if (const Kind *kind = findKind(tokenizerClass, modelType))
        return kind->open(files);
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    return badInput(fmt::format("{}: the tokenizer of {} is not supported yet; give the data as JSON lines with "
                                "input_ids instead",
                                folder.string(), tokenizerClass.empty() ? "model type " + modelType : tokenizerClass));
}

} // namespace headscope
