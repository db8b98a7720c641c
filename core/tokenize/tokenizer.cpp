#include "core/tokenize/tokenizer.h"

#include "core/formats/fairseqfolder.h"
#include "core/formats/gguf.h"
#include "core/formats/jsonfile.h"
#include "core/tokenize/fairseqtokenizer.h"
#include "core/tokenize/familytokenizers.h"
#include "core/tokenize/tokenizerjson.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

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
    {"albert", "AlbertTokenizer", openAlbertTokenizer},
    {"bart", "BartTokenizer", openRobertaTokenizer},
    {"bert", "BertTokenizer", openBertTokenizer},
    {"camembert", "CamembertTokenizer", openCamembertTokenizer},
    {"deberta-v2", "DebertaV2Tokenizer", openDebertaTokenizer},
    {"distilbert", "DistilBertTokenizer", openBertTokenizer},
    {"electra", "ElectraTokenizer", openBertTokenizer},
    {"fairseq", "FairseqTokenizer", openFairseqTokenizer},
    {"fsmt", "FSMTTokenizer", openFairseqTokenizer},
    {"gemma", "GemmaTokenizer", openGemmaTokenizer},
    {"gemma2", "GemmaTokenizer", openGemmaTokenizer},
    {"gemma3_text", "GemmaTokenizer", openGemmaTokenizer},
    {"gpt2", "GPT2Tokenizer", openGpt2Tokenizer},
    {"gpt_neox", "GPTNeoXTokenizer", openGptNeoxTokenizer},
    {"llama", "LlamaTokenizer", openLlamaTokenizer},
    {"m2m_100", "M2M100Tokenizer", openM2mTokenizer},
    {"marian", "MarianTokenizer", openMarianTokenizer},
    {"marian-nmt", "MarianNmtTokenizer", openMarianNmtTokenizer},
    {"mbart", "MBartTokenizer", openMbartTokenizer},
    {"mbart50", "MBart50Tokenizer", openMbart50Tokenizer},
    {"ministral", "LlamaTokenizer", openLlamaTokenizer},
    {"mistral", "LlamaTokenizer", openLlamaTokenizer},
    {"mt5", "MT5Tokenizer", openT5Tokenizer},
    {"nllb-moe", "NllbTokenizer", openNllbTokenizer},
    {"olmo", "GPTNeoXTokenizer", openGptNeoxTokenizer},
    {"olmo2", "GPTNeoXTokenizer", openGptNeoxTokenizer},
    {"olmo3", "GPT2Tokenizer", openGpt2Tokenizer},
    {"opt", "GPT2Tokenizer", openGpt2Tokenizer},
    {"pegasus", "PegasusTokenizer", openPegasusTokenizer},
    {"phi3", "LlamaTokenizer", openLlamaTokenizer},
    {"starcoder2", "GPT2Tokenizer", openGpt2Tokenizer},
    {"stablelm", "GPTNeoXTokenizer", openGptNeoxTokenizer},
    {"qwen2", "Qwen2Tokenizer", openQwen2Tokenizer},
    {"qwen3", "Qwen2Tokenizer", openQwen2Tokenizer},
    {"roberta", "RobertaTokenizer", openRobertaTokenizer},
    {"t5", "T5Tokenizer", openT5Tokenizer},
    {"umt5", "T5Tokenizer", openT5Tokenizer},
    {"xlm-roberta", "XLMRobertaTokenizer", openXlmRobertaTokenizer},
};

/// The name in transformers 5 of the class of any tokenizer.json.
constexpr const char *kBackendClass = "TokenizersBackend";

/// Classes that stand for any tokenizer.json: the model's type tells what is in the other files.
constexpr std::string_view kAnyClass[] = {"PreTrainedTokenizer", kBackendClass, "PythonBackend"};

constexpr const char *kTokenizerFiles[]
    = {"tokenizer.json",  "vocab.txt",    "vocab.json",    "source.spm",
       "target.spm",      "spiece.model", "merges.txt",    "sentencepiece.bpe.model",
       "tokenizer.model", "spm.model",    "vocab-src.json"};

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

std::string withoutFast(std::string tokenizerClass)
{
    if (tokenizerClass.ends_with("Fast"))
        tokenizerClass.resize(tokenizerClass.size() - 4);
    return tokenizerClass;
}

bool isAnyClass(const std::string &tokenizerClass)
{
    return std::find(std::begin(kAnyClass), std::end(kAnyClass), withoutFast(tokenizerClass)) != std::end(kAnyClass);
}

/// The class that tokenizer_config.json names decides; the model's type does where it names none.
const Kind *findKind(std::string tokenizerClass, const std::string &modelType)
{
    tokenizerClass = withoutFast(std::move(tokenizerClass));
    if (isAnyClass(tokenizerClass))
        tokenizerClass.clear();
    const auto *found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &kind) {
        return tokenizerClass.empty() ? kind.modelType == modelType : kind.tokenizerClass == tokenizerClass;
    });
    return found == std::end(kKinds) ? nullptr : found;
}

/// The language that was chosen, that Marian's or another's settings name, or the second of fairseq's languages.
std::string targetLanguageOf(const TokenizerFiles &files, const Languages &languages)
{
    if (!languages.target.empty())
        return languages.target;
    for (const char *key : {"target_lang", "tgt_lang"}) {
        if (std::string code = textOf(files.tokenizerConfig, key); !code.empty())
            return code;
    }
    const auto langs = files.config.is_object() ? files.config.find("langs") : files.config.end();
    if (!files.config.is_object() || langs == files.config.end() || !langs->is_array() || langs->size() != 2
        || !(*langs)[1].is_string())
        return {};
    return (*langs)[1].get<std::string>();
}

Result<std::unique_ptr<Tokenizer>> openByKind(TokenizerFiles &files)
{
    std::string tokenizerClass = textOf(files.tokenizerConfig, "tokenizer_class");
    if (tokenizerClass.empty())
        tokenizerClass = textOf(files.config, "tokenizer_class");
    files.isGeneric = isAnyClass(tokenizerClass);
    const std::string modelType = textOf(files.config, "model_type");
    if (const Kind *kind = findKind(tokenizerClass, modelType))
        return kind->open(files);
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    return badInput(fmt::format("{}: the tokenizer of {} is not supported yet; give the data as JSON lines with "
                                "input_ids instead",
                                files.folder.string(),
                                tokenizerClass.empty() ? "model type " + modelType : tokenizerClass));
}

} // namespace

std::string TokenizerFiles::specialToken(const char *key, const std::string &fallback) const
{
    for (const nlohmann::json *settings : {&specialTokens, &tokenizerConfig}) {
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

bool TokenizerFiles::isOfVersion5() const
{
    return tokenizerConfig.contains("backend") || textOf(tokenizerConfig, "tokenizer_class") == kBackendClass;
}

Result<Encoding> Tokenizer::encodePair(std::string_view, std::optional<std::string_view>, std::size_t) const
{
    return usageError("this tokenizer takes single texts only, no pairs and no largest length");
}

const Languages &Tokenizer::languages() const
{
    static const Languages kNone;
    return kNone;
}

Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path &folder, const nlohmann::json &config,
                                                 const TokenizerOptions &options)
{
    TokenizerFiles files{.folder = folder, .config = config, .options = options};
    const auto gguf = ggufOf(folder);
    if (!gguf.isOk())
        return gguf.error();
    if (gguf.value() && !files.has("tokenizer.json"))
        return openGgufTokenizer({.folder = *gguf.value(), .config = config, .options = options});
    if (fairseqDictionaries(folder).empty() && marianNmtVocabularies(files).empty()
        && std::none_of(std::begin(kTokenizerFiles), std::end(kTokenizerFiles),
                        [&](const char *file) { return files.has(file); }))
        return std::unique_ptr<Tokenizer>();
    const std::pair<const char *, nlohmann::json *> settings[] = {{"tokenizer_config.json", &files.tokenizerConfig},
                                                                  {"special_tokens_map.json", &files.specialTokens},
                                                                  {"generation_config.json", &files.generation}};
    for (const auto &[file, json] : settings) {
        auto read = readSettings(folder / file);
        if (!read.isOk())
            return read.error();
        *json = std::move(read).value();
    }
    if (files.tokenizerConfig.contains("added_tokens_decoder"))
        files.specialTokens = nlohmann::json::object();
    auto tokenizer = openByKind(files);
    if (!tokenizer.isOk() || !tokenizer.value())
        return tokenizer;
    tokenizer.value()->setNotes(*files.notes);
    tokenizer.value()->setTargetLanguage(targetLanguageOf(files, tokenizer.value()->languages()));
    const bool isAsked = !options.sourceLanguage.empty() || !options.targetLanguage.empty();
    if (isAsked && tokenizer.value()->languages().known.empty())
        return usageError(folder.string()
                          + ": the model has no languages to choose from; leave out --source-language "
                            "and --target-language");
    return tokenizer;
}

} // namespace headscope
