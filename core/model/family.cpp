#include "core/model/family.h"

#include "core/base/parsednumber.h"
#include "core/base/ranges.h"
#include "core/model/prunedheads.h"
#include "core/model/sharedconfig.h"

#include <algorithm>
#include <cmath>

namespace headscope {

extern const Family kMarianFamily, kBartFamily, kMBartFamily, kM2M100Family, kT5Family, kMT5Family, kGpt2Family,
    kLlamaFamily, kMistralFamily, kQwen2Family, kQwen3Family, kGemma2Family, kGemma3Family, kOlmoFamily, kOlmo2Family,
    kOlmo3Family, kPhi3Family, kGptNeoxFamily, kOptFamily, kPegasusFamily, kModernBertFamily, kDebertaV2Family,
    kAlbertFamily, kBertFamily, kDistilBertFamily, kElectraFamily, kRobertaFamily, kXlmRobertaFamily, kCamembertFamily,
    kFsmtFamily, kFairseqFamily, kMarianNmtFamily;

std::span<const Family> families()
{
    static const Family kFamilies[] = {
        kMarianFamily,     kBartFamily,      kMBartFamily,      kM2M100Family,     kT5Family,        kMT5Family,
        kGpt2Family,       kLlamaFamily,     kMistralFamily,    kQwen2Family,      kQwen3Family,     kGemma2Family,
        kGemma3Family,     kOlmoFamily,      kOlmo2Family,      kOlmo3Family,      kPhi3Family,      kGptNeoxFamily,
        kOptFamily,        kPegasusFamily,   kModernBertFamily, kDebertaV2Family,  kAlbertFamily,    kBertFamily,
        kDistilBertFamily, kElectraFamily,   kRobertaFamily,    kXlmRobertaFamily, kCamembertFamily, kFsmtFamily,
        kFairseqFamily,    kMarianNmtFamily,
    };
    return kFamilies;
}

Result<const Family *> findFamily(const nlohmann::json &config, const std::string &configFile)
{
    std::string known;
    const auto type = config.is_object() ? config.find("model_type") : config.end();
    for (const Family &family : families()) {
        if (config.is_object() && type != config.end() && *type == family.modelType)
            return &family;
        known += (known.empty() ? "" : ", ") + std::string(family.modelType);
    }
    const std::string found = config.is_object() && type != config.end() && type->is_string()
                                ? "has the unknown model_type \"" + type->get<std::string>() + "\""
                                : "has no model_type";
    return badInput(configFile + " " + found + ". Headscope opens: " + known + ".");
}

const nlohmann::json *ConfigReader::find(const char *key) const
{
    if (!m_config.is_object())
        return nullptr;
    const auto found = m_config.find(key);
    return found == m_config.end() || found->is_null() ? nullptr : &*found;
}

void ConfigReader::fail(std::string message)
{
    if (!m_error)
        m_error = badInput("config.json: " + std::move(message));
}

std::int64_t ConfigReader::integer(std::initializer_list<const char *> keys, std::int64_t fallback, std::int64_t least,
                                   std::int64_t most)
{
    for (const char *key : keys) {
        const nlohmann::json *value = find(key);
        if (!value)
            continue;
        if (!value->is_number_integer()) {
            fail("\"" + std::string(key) + "\" is " + value->dump() + ", expected a whole number.");
            return fallback;
        }
        const auto number = value->get<std::int64_t>();
        if (number < least || number > most)
            fail("\"" + std::string(key) + "\" is " + std::to_string(number) + ", expected " + std::to_string(least)
                 + " to " + std::to_string(most) + ".");
        return number;
    }
    return fallback;
}

double ConfigReader::number(const char *key, double fallback)
{
    const nlohmann::json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_number()) {
        fail("\"" + std::string(key) + "\" is " + value->dump() + ", expected a number.");
        return fallback;
    }
    return value->get<double>();
}

bool ConfigReader::flag(const char *key, bool fallback)
{
    const nlohmann::json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_boolean()) {
        fail("\"" + std::string(key) + "\" is " + value->dump() + ", expected true or false.");
        return fallback;
    }
    return value->get<bool>();
}

std::string ConfigReader::text(const char *key, const std::string &fallback)
{
    const nlohmann::json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_string()) {
        fail("\"" + std::string(key) + "\" is " + value->dump() + ", expected text.");
        return fallback;
    }
    return value->get<std::string>();
}

Activation parseActivation(const std::string &name, ConfigReader &reader)
{
    static const std::pair<const char *, Activation> kNames[] = {{"relu", Activation::Relu},
                                                                 {"gelu", Activation::Gelu},
                                                                 {"gelu_python", Activation::Gelu},
                                                                 {"gelu_new", Activation::GeluTanh},
                                                                 {"gelu_fast", Activation::GeluTanh},
                                                                 {"gelu_pytorch_tanh", Activation::GeluTanh},
                                                                 {"silu", Activation::Silu},
                                                                 {"swish", Activation::Silu},
                                                                 {"quick_gelu", Activation::QuickGelu},
                                                                 {"tanh", Activation::Tanh}};
    for (const auto &[known, activation] : kNames) {
        if (name == known)
            return activation;
    }
    reader.fail("unknown activation \"" + name + "\".");
    return Activation::Relu;
}

void setHeads(AttentionSpec &attention, std::int64_t width, std::int64_t count, const char *widthKey,
              const char *headsKey, ConfigReader &keys)
{
    if (count < 1)
        return; // the reader said so
    if (width % count != 0)
        return keys.fail('"' + std::string(widthKey) + "\" " + std::to_string(width) + " is not a multiple of \""
                         + headsKey + "\" " + std::to_string(count) + ".");
    attention.allHeads = count;
    attention.headWidth = width / count;
    attention.scale = std::pow(static_cast<double>(attention.headWidth), -0.5);
}

StackSpec makeStack(Side side, const LayerShape &shape, std::int64_t vocabulary)
{
    StackSpec stack;
    stack.vocabulary = vocabulary;
    AttentionSpec own = shape.attention;
    own.kind = side == Side::Encoder ? HeadKind::Encoder : HeadKind::Decoder;
    own.causal = side == Side::Decoder;
    own.heads = headNumbers(own.allHeads);
    AttentionSpec cross = own;
    cross.kind = HeadKind::Cross;
    cross.causal = false;
    cross.relative.reset();
    cross.rotary.reset();
    cross.reach.reset();
    for (int layer = 0; layer < static_cast<int>(shape.layers); ++layer) {
        stack.subLayers.push_back({layer, own});
        if (shape.readsMemory)
            stack.subLayers.push_back({layer, cross});
        stack.subLayers.push_back({layer, shape.feedForward});
    }
    return stack;
}

std::string renamed(std::string slot, std::span<const NamePart> parts)
{
    for (const auto &[ours, theirs] : parts) {
        if (const auto at = slot.find(ours); at != std::string::npos)
            slot.replace(at, std::string_view(ours).size(), theirs);
    }
    return slot;
}

std::vector<std::string> fusedParts(const std::string &slot, std::initializer_list<const char *> parts)
{
    const std::size_t end = slot.rfind('.');
    const std::size_t begin = slot.rfind('.', end - 1) + 1;
    std::vector<std::string> slots;
    for (const char *part : parts)
        slots.push_back(slot.substr(0, begin) + part + slot.substr(end));
    return slots;
}

int layerOf(const std::string &slot)
{
    const std::size_t begin = slot.find('.') + 1;
    return static_cast<int>(parsedNumber<std::size_t>(slot.substr(begin, slot.find('.', begin) - begin)).value_or(0));
}

namespace {

/// Keys of generation_config.json laid over those of config.json.
nlohmann::json mergedGeneration(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    nlohmann::json merged = nlohmann::json::object();
    for (const char *key :
         {"max_length", "min_length", "num_beams", "length_penalty", "early_stopping", "no_repeat_ngram_size",
          "repetition_penalty", "bad_words_ids", "eos_token_id", "pad_token_id", "decoder_start_token_id",
          "bos_token_id", "forced_bos_token_id", "forced_eos_token_id", "renormalize_logits"}) {
        for (const nlohmann::json *source : {&config, &generationConfig}) {
            if (source->is_object() && source->contains(key) && !source->at(key).is_null())
                merged[key] = source->at(key);
        }
    }
    return merged;
}

std::vector<std::int64_t> idList(const nlohmann::json &value)
{
    std::vector<std::int64_t> ids;
    if (value.is_number_integer())
        ids.push_back(value.get<std::int64_t>());
    else if (value.is_array()) {
        for (const auto &id : value) {
            if (id.is_number_integer())
                ids.push_back(id.get<std::int64_t>());
        }
    }
    return ids;
}

/// Settings that change what is generated and are not computed, where they say something else than their default.
std::vector<std::string> ignoredKeys(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    using Json = nlohmann::json;
    static const std::pair<const char *, Json> kDefaults[] = {{"do_sample", false},
                                                              {"num_beam_groups", 1},
                                                              {"diversity_penalty", 0.0},
                                                              {"penalty_alpha", nullptr},
                                                              {"encoder_repetition_penalty", 1.0},
                                                              {"encoder_no_repeat_ngram_size", 0},
                                                              {"min_new_tokens", nullptr},
                                                              {"max_new_tokens", nullptr},
                                                              {"force_words_ids", nullptr},
                                                              {"constraints", nullptr},
                                                              {"sequence_bias", nullptr},
                                                              {"suppress_tokens", nullptr},
                                                              {"begin_suppress_tokens", nullptr},
                                                              {"forced_decoder_ids", nullptr},
                                                              {"exponential_decay_length_penalty", nullptr},
                                                              {"remove_invalid_values", false},
                                                              {"guidance_scale", nullptr},
                                                              {"watermarking_config", nullptr},
                                                              {"stop_strings", nullptr},
                                                              {"dola_layers", nullptr},
                                                              {"prompt_lookup_num_tokens", nullptr}};
    std::vector<std::string> ignored;
    for (const auto &[key, usual] : kDefaults) {
        Json value;
        for (const Json *source : {&config, &generationConfig}) {
            if (source->is_object() && source->contains(key))
                value = source->at(key);
        }
        const bool says = !value.is_null() && value != usual && !(value.is_structured() && value.empty());
        if (says)
            ignored.push_back('"' + std::string(key) + "\": " + value.dump().substr(0, 60));
    }
    return ignored;
}

EarlyStopping earlyStoppingOf(const nlohmann::json &value)
{
    if (value.is_boolean())
        return value.get<bool>() ? EarlyStopping::On : EarlyStopping::Off;
    return value == "never" ? EarlyStopping::Never : EarlyStopping::Off;
}

/// "task_specific_params" of config.json, as pipelines of transformers lay them over the settings of all tasks.
std::map<std::string, TaskSettings> taskSettings(const nlohmann::json &config, ConfigReader &reader)
{
    std::map<std::string, TaskSettings> tasks;
    const auto found = config.find("task_specific_params");
    if (found == config.end() || !found->is_object())
        return tasks;
    for (const auto &[name, params] : found->items()) {
        if (!params.is_object())
            continue;
        ConfigReader keys(params);
        constexpr std::int64_t kMany = 1 << 30;
        const auto has
            = [&params = params](const char *key) { return params.contains(key) && !params.at(key).is_null(); };
        const auto whole = [&](const char *key, std::int64_t least, std::int64_t most) -> std::optional<std::int64_t> {
            return has(key) ? std::optional(keys.integer({key}, 0, least, most)) : std::nullopt;
        };
        TaskSettings settings;
        settings.prefix = keys.text("prefix", "");
        if (const auto beams = whole("num_beams", 1, 1024))
            settings.beams = static_cast<int>(*beams);
        if (has("length_penalty"))
            settings.lengthPenalty = keys.number("length_penalty", 1.0);
        settings.maxLength = whole("max_length", 2, kMany);
        settings.minLength = whole("min_length", 0, kMany);
        settings.noRepeatNgram = whole("no_repeat_ngram_size", 0, kMany);
        if (has("early_stopping"))
            settings.earlyStopping = earlyStoppingOf(params.at("early_stopping"));
        if (keys.error())
            reader.fail("\"task_specific_params\", " + name + ": "
                        + keys.error()->message.substr(std::string("config.json: ").size()));
        tasks.emplace(name, std::move(settings));
    }
    return tasks;
}

} // namespace

GenerationSettings readGenerationSettings(const nlohmann::json &config, const nlohmann::json &generationConfig,
                                          Generates generates, ConfigReader &reader)
{
    const nlohmann::json merged = mergedGeneration(config, generationConfig);
    ConfigReader keys(merged);
    GenerationSettings settings;
    constexpr std::int64_t kMany = 1 << 30;
    settings.beams = static_cast<int>(keys.integer({"num_beams"}, 1, kBeamsRange.least, kBeamsRange.most));
    settings.lengthPenalty = keys.number("length_penalty", 1.0);
    settings.maxLength = keys.integer({"max_length"}, 20, kLengthRange.least, kLengthRange.most);
    settings.minLength = keys.integer({"min_length"}, 0, 0, kMany);
    settings.noRepeatNgram = keys.integer({"no_repeat_ngram_size"}, 0, 0, kMany);
    settings.repetitionPenalty = keys.number("repetition_penalty", 1.0);
    settings.renormalize = keys.flag("renormalize_logits", false);
    if (const auto early = merged.find("early_stopping"); early != merged.end())
        settings.earlyStopping = earlyStoppingOf(*early);
    if (const auto words = merged.find("bad_words_ids"); words != merged.end() && words->is_array()) {
        for (const auto &word : *words) {
            if (auto ids = idList(word); !ids.empty())
                settings.badWords.push_back(std::move(ids));
        }
    }
    settings.endIds = idList(merged.value("eos_token_id", nlohmann::json()));
    if (settings.endIds.empty() && generates != Generates::Nothing)
        keys.fail("\"eos_token_id\" is missing.");
    settings.padId = keys.integer({"pad_token_id"}, settings.endIds.empty() ? 0 : settings.endIds.front(), 0, kMany);
    std::int64_t start = generates == Generates::Nothing ? 0 : -1;
    if (generates != Generates::FromStart && !settings.endIds.empty())
        start = settings.endIds.front();
    settings.startId = keys.integer({"decoder_start_token_id", "bos_token_id"}, start, -1, kMany);
    if (settings.startId < 0)
        keys.fail("neither \"decoder_start_token_id\" nor \"bos_token_id\" is given.");
    if (merged.contains("forced_bos_token_id"))
        settings.forcedFirst = keys.integer({"forced_bos_token_id"}, 0, 0, kMany);
    if (const auto last = idList(merged.value("forced_eos_token_id", nlohmann::json())); !last.empty())
        settings.forcedLast = last.front();
    // A lone [eos] in bad_words_ids is ignored, as in Hugging Face.
    std::erase_if(settings.badWords, [&](const auto &word) {
        return word.size() == 1 && std::ranges::find(settings.endIds, word[0]) != settings.endIds.end();
    });
    settings.ignored = ignoredKeys(config, generationConfig);
    settings.tasks = taskSettings(config, reader);
    if (keys.error())
        reader.fail(keys.error()->message.substr(std::string("config.json: ").size()));
    return settings;
}

std::string architectureOf(const nlohmann::json &config)
{
    const auto names = config.find("architectures");
    return names != config.end() && names->is_array() && !names->empty() && names->front().is_string()
             ? names->front().get<std::string>()
             : std::string();
}

nlohmann::json withDefaults(nlohmann::json config, const nlohmann::json &defaults)
{
    for (const auto &[key, value] : defaults.items()) {
        if (!config.contains(key))
            config[key] = value;
    }
    return config;
}

std::int64_t mostPositions(std::int64_t width)
{
    return (std::int64_t{1} << 26) / std::max<std::int64_t>(1, width);
}

namespace {

/// Rows of tables are looked up by these.
void checkTokenIds(const TransformerSpec &spec, ConfigReader &keys)
{
    const GenerationSettings &settings = spec.generation;
    const std::int64_t vocabulary = (spec.decoder ? spec.decoder : spec.encoder)->vocabulary;
    const auto check = [&](const char *key, std::int64_t id) {
        if (id < 0 || id >= vocabulary)
            keys.fail('"' + std::string(key) + "\" has the token id " + std::to_string(id) + ", but there are "
                      + std::to_string(vocabulary) + " tokens.");
    };
    check("pad_token_id", settings.padId);
    if (!spec.decoder)
        return;
    check(spec.encoder ? "decoder_start_token_id" : "bos_token_id", settings.startId);
    for (const std::int64_t id : settings.endIds)
        check("eos_token_id", id);
    if (settings.forcedFirst)
        check("forced_bos_token_id", *settings.forcedFirst);
    if (settings.forcedLast)
        check("forced_eos_token_id", *settings.forcedLast);
    for (const auto &word : settings.badWords) {
        for (const std::int64_t id : word)
            check("bad_words_ids", id);
    }
}

} // namespace

Result<TransformerSpec> finishedSpec(TransformerSpec spec, const nlohmann::json &config, ConfigReader &keys)
{
    if (!keys.error())
        checkTokenIds(spec, keys);
    if (!keys.error())
        readPrunedHeads(config, spec, keys);
    if (!keys.error())
        readSharedProjections(config, spec, keys);
    if (keys.error())
        return *keys.error();
    return spec;
}

} // namespace headscope
