#include "core/tokenize/tokenizerjson.h"

#include "core/formats/jsonfile.h"
#include "core/tokenize/pipeline/pipelinetokenizer.h"
#include "core/tokenize/tokenizersettings.h"

#include <utility>

namespace headscope {
namespace {

/// What tokenizer_config.json says, or how the class is where it says nothing: the file that was read does not count.
nlohmann::json saidOrUsual(const TokenizerFiles &files, const char *key, const nlohmann::json &usual)
{
    return files.tokenizerConfig.contains(key) ? files.tokenizerConfig[key] : usual;
}

/// As the tokenizer classes do after reading the file. PreTrainedTokenizerFast has the rules of all classes only,
/// whatever model it belongs to.
void applySettings(nlohmann::json &json, const TokenizerFiles &files, JsonRules rules)
{
    const auto isOf = [&](const char *part, const char *type) {
        return json.contains(part) && json[part].is_object() && json[part].value("type", nlohmann::json()) == type;
    };
    if (rules == JsonRules::Bert && !files.isGeneric && isOf("normalizer", "BertNormalizer")) {
        nlohmann::json &normalizer = json["normalizer"];
        normalizer["lowercase"] = saidOrUsual(files, "do_lower_case", true);
        normalizer["strip_accents"] = saidOrUsual(files, "strip_accents", nullptr);
        normalizer["handle_chinese_chars"] = saidOrUsual(files, "tokenize_chinese_chars", true);
    }
    if (!isOf("pre_tokenizer", "ByteLevel") || !files.tokenizerConfig.contains("add_prefix_space"))
        return;
    json["pre_tokenizer"]["add_prefix_space"] = files.tokenizerConfig["add_prefix_space"];
    if (isOf("post_processor", "RobertaProcessing"))
        json["post_processor"]["add_prefix_space"] = files.tokenizerConfig["add_prefix_space"];
}

} // namespace

pipeline::Components componentsFromJson(const nlohmann::json &json, const std::string &name)
{
    using namespace pipeline;
    const Part file(json, name);
    if (!json.is_object())
        file.fail("must hold a JSON object");
    Components parts;
    parts.model = makePieceModel(file.inner("model"));
    if (file.has("normalizer"))
        parts.normalizer = makeNormalizer(file.inner("normalizer"));
    if (file.has("pre_tokenizer"))
        parts.preTokenizer = makePreTokenizer(file.inner("pre_tokenizer"));
    if (file.has("post_processor"))
        parts.postProcessor = PostProcessor(file.inner("post_processor"));
    parts.decoder = file.has("decoder") ? makeDecoder(file.inner("decoder")) : makeJoiningDecoder();
    parts.added = AddedTokens(file, parts.model->vocabulary(), parts.normalizer.get());
    return parts;
}

Result<std::unique_ptr<Tokenizer>> tokenizerFromJson(const nlohmann::json &json, const std::string &name, bool cleansUp)
{
    try {
        pipeline::Components parts = componentsFromJson(json, name);
        parts.cleansUp = cleansUp;
        return makePipelineTokenizer(std::move(parts));
    } catch (const Failure &failure) {
        return failure.error();
    }
}

Result<std::unique_ptr<Tokenizer>> fromParts(const TokenizerFiles &files, const nlohmann::json &json, const char *file,
                                             const std::function<void(pipeline::Components &)> &change)
{
    try {
        const char *read = files.has("tokenizer.json") ? "tokenizer.json" : file;
        pipeline::Components parts = componentsFromJson(json, (files.folder / read).string());
        parts.cleansUp = cleansUp(files);
        change(parts);
        return makePipelineTokenizer(std::move(parts));
    } catch (const Failure &failure) {
        return failure.error();
    }
}

Result<nlohmann::json> readTokenizerJson(const TokenizerFiles &files, JsonRules rules)
{
    auto json = readJsonFile(files.folder / "tokenizer.json");
    if (json.isOk() && json.value().is_object()) {
        applySettings(json.value(), files, rules);
        addConfiguredTokens(json.value(), files);
    }
    return json;
}

Result<std::unique_ptr<Tokenizer>> openTokenizerJson(const TokenizerFiles &files, JsonRules rules)
{
    const auto json = readTokenizerJson(files, rules);
    if (!json.isOk())
        return json.error();
    return tokenizerFromJson(json.value(), (files.folder / "tokenizer.json").string(), cleansUp(files));
}

} // namespace headscope
