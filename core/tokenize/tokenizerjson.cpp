#include "core/tokenize/tokenizerjson.h"

#include "core/formats/jsonfile.h"
#include "core/tokenize/pipeline/pipelinetokenizer.h"
#include "core/tokenize/tokenizersettings.h"

#include <optional>
#include <string>
#include <utility>

namespace headscope {
namespace {

/// A setting of tokenizer_config.json, or how the class is where it says nothing: the file that was read does not
/// count.
nlohmann::json saidOrUsual(const TokenizerFiles &files, const char *key, const nlohmann::json &usual)
{
    return files.tokenizerConfig.contains(key) ? files.tokenizerConfig[key] : usual;
}

/// Whether a blank is put before texts, as far as it is not tokenizer.json that says so: transformers 5 follows that
/// with its general class, versions from 4.48 on put none where tokenizer_config.json does not ask for one.
std::optional<bool> prefixSpace(const TokenizerFiles &files)
{
    const auto said = files.tokenizerConfig.find("add_prefix_space");
    if (said != files.tokenizerConfig.end())
        return said->is_boolean() ? std::optional(said->get<bool>()) : std::nullopt;
    return files.isOfVersion5() && files.isGeneric ? std::nullopt : std::optional(false);
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
    if (!isOf("pre_tokenizer", "ByteLevel"))
        return;
    const std::optional<bool> prefixed = prefixSpace(files);
    if (!prefixed)
        return;
    if (files.isGeneric && !files.tokenizerConfig.contains("add_prefix_space")
        && json["pre_tokenizer"].value("add_prefix_space", nlohmann::json(true)) == true)
        files.notes->push_back(
            "No blank is put before texts, though tokenizer.json says \"add_prefix_space\": true: tokenizer_config.json "
            "does not, and transformers 4.48 to 4.57 then put none; other versions follow tokenizer.json. "
            "\"add_prefix_space\" in tokenizer_config.json decides for all.");
    json["pre_tokenizer"]["add_prefix_space"] = *prefixed;
    if (isOf("post_processor", "RobertaProcessing"))
        json["post_processor"]["add_prefix_space"] = *prefixed;
}

/// Settings of texts that tokenizer_config.json decides, whatever the class.
void applyTextSettings(pipeline::Components &parts, const TokenizerFiles &files)
{
    // transformers 5 cleans no text up that byte pairs spell, unless it is told to in so many words.
    const bool isKept
        = files.isOfVersion5() && parts.model->isBpe()
       && !setting(files, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", false);
    parts.cleansUp = cleansUp(files) && !isKept;
    if (setting(files, "split_special_tokens", false))
        parts.added.ignoreSpecial();
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

Result<std::unique_ptr<Tokenizer>> tokenizerFromJson(const nlohmann::json &json, const std::string &name,
                                                     const TokenizerFiles &files)
{
    try {
        pipeline::Components parts = componentsFromJson(json, name);
        applyTextSettings(parts, files);
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
        applyTextSettings(parts, files);
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
        const auto added = addConfiguredTokens(json.value(), files);
        if (!added.isOk())
            return added.error();
    }
    return json;
}

Result<std::unique_ptr<Tokenizer>> openTokenizerJson(const TokenizerFiles &files, JsonRules rules)
{
    const auto json = readTokenizerJson(files, rules);
    if (!json.isOk())
        return json.error();
    return fromParts(files, json.value(), "tokenizer.json", [](pipeline::Components &) {});
}

} // namespace headscope
