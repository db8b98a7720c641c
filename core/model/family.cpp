#include "core/model/family.h"

#include "core/base/parsednumber.h"
#include "core/base/ranges.h"
#include "core/model/prunedheads.h"
#include "core/model/sharedconfig.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace headscope {

extern const Family kMarianFamily, kBartFamily, kMBartFamily, kM2M100Family, kT5Family, kMT5Family, kGpt2Family,
    kLlamaFamily, kMistralFamily, kMinistralFamily, kMixtralFamily, kQwen2Family, kQwen2MoeFamily, kQwen3Family,
    kQwen3MoeFamily, kGemmaFamily, kGemma2Family, kGemma3Family, kOlmoFamily, kOlmo2Family, kOlmo3Family, kOlmoeFamily,
    kGptOssFamily, kCohereFamily, kCohere2Family, kGraniteFamily, kGraniteMoeFamily, kGlmFamily, kGlm4Family,
    kPhiFamily, kPhi3Family, kSmolLm3Family, kStableLmFamily, kStarcoder2Family, kGptNeoxFamily, kGptJFamily,
    kCodeGenFamily, kGptNeoFamily, kGptBigCodeFamily, kBloomFamily, kMptFamily, kFalconFamily, kXglmFamily,
    kNemotronFamily, kArceeFamily, kErnieFamily, kHeliumFamily, kExaone4Family, kSeedOssFamily, kOptFamily,
    kPegasusFamily, kModernBertFamily, kDebertaV2Family, kAlbertFamily, kBertFamily, kDistilBertFamily, kElectraFamily,
    kRobertaFamily, kXlmRobertaFamily, kCamembertFamily, kFsmtFamily, kFairseqFamily, kMarianNmtFamily;

std::span<const Family> families()
{
    static const Family kFamilies[] = {
        kMarianFamily,   kBartFamily,       kMBartFamily,      kM2M100Family,     kT5Family,         kMT5Family,
        kGpt2Family,     kLlamaFamily,      kMistralFamily,    kMinistralFamily,  kMixtralFamily,    kQwen2Family,
        kQwen2MoeFamily, kQwen3Family,      kQwen3MoeFamily,   kGemmaFamily,      kGemma2Family,     kGemma3Family,
        kOlmoFamily,     kOlmo2Family,      kOlmo3Family,      kOlmoeFamily,      kGptOssFamily,     kCohereFamily,
        kCohere2Family,  kGraniteFamily,    kGraniteMoeFamily, kGlmFamily,        kGlm4Family,       kPhiFamily,
        kPhi3Family,     kSmolLm3Family,    kStableLmFamily,   kStarcoder2Family, kGptNeoxFamily,    kGptJFamily,
        kCodeGenFamily,  kGptNeoFamily,     kGptBigCodeFamily, kBloomFamily,      kMptFamily,        kFalconFamily,
        kXglmFamily,     kNemotronFamily,   kArceeFamily,      kErnieFamily,      kHeliumFamily,     kExaone4Family,
        kSeedOssFamily,  kOptFamily,        kPegasusFamily,    kModernBertFamily, kDebertaV2Family,  kAlbertFamily,
        kBertFamily,     kDistilBertFamily, kElectraFamily,    kRobertaFamily,    kXlmRobertaFamily, kCamembertFamily,
        kFsmtFamily,     kFairseqFamily,    kMarianNmtFamily,
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
    if (!value) // null is no truth in Python
        return fallback && !(m_config.is_object() && m_config.contains(key));
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
                                                                 {"tanh", Activation::Tanh},
                                                                 {"relu2", Activation::ReluSquared}};
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

TensorRecipe decoderRecipe(const std::string &slot, const std::string &prefix, const std::string &name,
                           const std::string &output)
{
    if (slot == "output.weight")
        return {{output + ".weight"}};
    if (slot == "output.bias")
        return {{output + ".bias"}};
    if (slot == "classifier.out.weight")
        return {{"score.weight"}};
    return {{prefix + name, name}};
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

/// Whether a key of config.json says something of generation that no class says by itself.
bool isOwnSetting(const nlohmann::json &config, const char *key, const nlohmann::json &usual)
{
    const auto found = config.find(key);
    if (found == config.end() || found->is_null() || *found == usual)
        return false;
    const bool isEnd = std::string_view(key) == "forced_eos_token_id" // of BART's class and its relatives'
                    && *found == config.value("eos_token_id", nlohmann::json());
    return !isEnd;
}

bool hasOwnSettings(const nlohmann::json &config)
{
    static const std::pair<const char *, nlohmann::json> kUsual[] = {{"max_length", 20},
                                                                     {"min_length", 0},
                                                                     {"num_beams", 1},
                                                                     {"length_penalty", 1.0},
                                                                     {"early_stopping", false},
                                                                     {"no_repeat_ngram_size", 0},
                                                                     {"encoder_no_repeat_ngram_size", 0},
                                                                     {"repetition_penalty", 1.0},
                                                                     {"bad_words_ids", nullptr},
                                                                     {"forced_bos_token_id", nullptr},
                                                                     {"forced_eos_token_id", nullptr},
                                                                     {"suppress_tokens", nullptr},
                                                                     {"begin_suppress_tokens", nullptr},
                                                                     {"num_beam_groups", 1},
                                                                     {"diversity_penalty", 0.0}};
    return std::ranges::any_of(kUsual,
                               [&](const auto &usual) { return isOwnSetting(config, usual.first, usual.second); });
}

/// The file whose generation settings count, and a note where versions of transformers take another.
struct SettingsSource
{
    nlohmann::json settings;
    std::string note;
};

/// generation_config.json alone where there is one; nothing of config.json counts beside it. One that transformers 4
/// made from config.json ("_from_model_config") is made anew from that where it has settings.
SettingsSource settingsSource(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    if (!generationConfig.is_object())
        return {config, {}};
    const bool isMade = generationConfig.value("_from_model_config", nlohmann::json()) == true;
    if (isMade && !isOfVersion5(generationConfig) && hasOwnSettings(config))
        return {config, "generation settings of config.json count, as in transformers 4: generation_config.json says "
                        "that it was made from them (\"_from_model_config\"). transformers 5 takes those of "
                        "generation_config.json"};
    SettingsSource source{generationConfig, {}};
    // Tokens that a model is trained with, not only generates with.
    for (const char *key : {"decoder_start_token_id", "bos_token_id", "pad_token_id"}) {
        const auto own = source.settings.find(key);
        if ((own == source.settings.end() || own->is_null()) && config.contains(key))
            source.settings[key] = config.at(key);
    }
    return source;
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

std::string shownSetting(const char *key, const nlohmann::json &value)
{
    return '"' + std::string(key) + "\": " + value.dump().substr(0, 60);
}

/// Settings that change what is generated and are not computed, where they say something else than their default.
std::vector<std::string> refusedSettings(const nlohmann::json &settings)
{
    static const std::pair<const char *, nlohmann::json> kDefaults[] = {{"num_beam_groups", 1},
                                                                        {"diversity_penalty", 0.0},
                                                                        {"penalty_alpha", nullptr},
                                                                        {"encoder_repetition_penalty", 1.0},
                                                                        {"encoder_no_repeat_ngram_size", 0},
                                                                        {"force_words_ids", nullptr},
                                                                        {"constraints", nullptr},
                                                                        {"sequence_bias", nullptr},
                                                                        {"forced_decoder_ids", nullptr},
                                                                        {"exponential_decay_length_penalty", nullptr},
                                                                        {"guidance_scale", 1.0},
                                                                        {"watermarking_config", nullptr},
                                                                        {"stop_strings", nullptr},
                                                                        {"dola_layers", nullptr}};
    std::vector<std::string> refused;
    for (const auto &[key, usual] : kDefaults) {
        const nlohmann::json value = settings.value(key, nlohmann::json());
        if (!value.is_null() && value != usual && !(value.is_structured() && value.empty()))
            refused.push_back(shownSetting(key, value));
    }
    return refused;
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

/// As transformers counts them: without any "max_length" there are 20 tokens besides the prompt or first token; numbers
/// of new tokens win over lengths.
void readLengths(GenerationSettings &settings, ConfigReader &keys, const std::function<bool(const char *)> &has,
                 bool isPrompted)
{
    constexpr std::int64_t kMany = 1 << 30;
    constexpr std::int64_t kUsual = 20;
    if (isPrompted) {
        settings.maxLength = keys.integer({"max_length"}, kUsual + 1, kLengthRange.least, kLengthRange.most);
        if (has("max_new_tokens") || !has("max_length"))
            settings.newTokens = keys.integer({"max_new_tokens"}, kUsual, 1, kLengthRange.most);
        settings.minLength = keys.integer({"min_length"}, 0, 0, kMany);
        settings.fewestNewTokens = keys.integer({"min_new_tokens"}, 0, 0, kMany);
        return;
    }
    settings.maxLength = keys.integer({"max_length"}, kUsual + 1, kLengthRange.least, kLengthRange.most);
    if (has("max_new_tokens"))
        settings.maxLength = keys.integer({"max_new_tokens"}, kUsual, 1, kLengthRange.most - 1) + 1;
    settings.minLength = keys.integer({"min_length"}, 0, 0, kMany);
    if (has("min_new_tokens"))
        settings.minLength = keys.integer({"min_new_tokens"}, 0, 0, kMany - 1) + 1;
}

void readBannedTokens(GenerationSettings &settings, const nlohmann::json &given)
{
    if (const auto words = given.find("bad_words_ids"); words != given.end() && words->is_array()) {
        for (const auto &word : *words) {
            if (auto ids = idList(word); !ids.empty())
                settings.badWords.push_back(std::move(ids));
        }
    }
    // A lone [eos] in bad_words_ids is ignored, as in Hugging Face.
    std::erase_if(settings.badWords, [&](const auto &word) {
        return word.size() == 1 && std::ranges::find(settings.endIds, word[0]) != settings.endIds.end();
    });
    for (const std::int64_t id : idList(given.value("suppress_tokens", nlohmann::json()))) {
        settings.badWords.push_back({id});
        if (id == settings.forcedFirst || id == settings.forcedLast)
            settings.refused.push_back("the token " + std::to_string(id) + " is forced, and in \"suppress_tokens\"");
    }
    settings.bannedFirst = idList(given.value("begin_suppress_tokens", nlohmann::json()));
}

} // namespace

GenerationSettings readGenerationSettings(const nlohmann::json &config, const nlohmann::json &generationConfig,
                                          Generates generates, ConfigReader &reader)
{
    const SettingsSource source
        = generates == Generates::Nothing ? SettingsSource{config, {}} : settingsSource(config, generationConfig);
    const nlohmann::json &given = source.settings;
    ConfigReader keys(given);
    GenerationSettings settings;
    constexpr std::int64_t kMany = 1 << 30;
    const auto has = [&](const char *key) { return given.contains(key) && !given.at(key).is_null(); };
    settings.beams = static_cast<int>(keys.integer({"num_beams"}, 1, kBeamsRange.least, kBeamsRange.most));
    settings.lengthPenalty = keys.number("length_penalty", 1.0);
    readLengths(settings, keys, has, generates == Generates::FromPrompt);
    settings.noRepeatNgram = keys.integer({"no_repeat_ngram_size"}, 0, 0, kMany);
    settings.repetitionPenalty = keys.number("repetition_penalty", 1.0);
    settings.renormalize = keys.flag("renormalize_logits", false);
    if (has("early_stopping"))
        settings.earlyStopping = earlyStoppingOf(given.at("early_stopping"));
    settings.endIds = idList(given.value("eos_token_id", nlohmann::json()));
    settings.padId = keys.integer({"pad_token_id"}, settings.endIds.empty() ? 0 : settings.endIds.front(), -1, kMany);
    std::int64_t start = generates == Generates::Nothing ? 0 : -1;
    if (generates != Generates::FromStart && !settings.endIds.empty())
        start = settings.endIds.front();
    settings.startId = keys.integer({"decoder_start_token_id", "bos_token_id"}, start, -1, kMany);
    if (settings.startId < 0 && generates == Generates::FromStart)
        keys.fail("neither \"decoder_start_token_id\" nor \"bos_token_id\" is given.");
    if (has("forced_bos_token_id"))
        settings.forcedFirst = keys.integer({"forced_bos_token_id"}, 0, 0, kMany);
    if (const auto last = idList(given.value("forced_eos_token_id", nlohmann::json())); !last.empty())
        settings.forcedLast = last.front();
    readBannedTokens(settings, given);
    std::ranges::move(refusedSettings(given), std::back_inserter(settings.refused));
    if (given.value("do_sample", nlohmann::json()) == true)
        settings.notes.emplace_back("outputs are not drawn at random, though \"do_sample\" is true: the likeliest ones "
                                    "are taken");
    if (!source.note.empty())
        settings.notes.push_back(source.note);
    if (settings.endIds.empty() && generates == Generates::FromStart)
        settings.notes.emplace_back("no \"eos_token_id\" is given, so that outputs run to the longest length");
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

/// Rows of tables are looked up by padding, and by the first token of decoders that read an encoder. Other ids are for
/// generation only: where they are none, it is that which is refused.
void checkTokenIds(TransformerSpec &spec, ConfigReader &keys)
{
    GenerationSettings &settings = spec.generation;
    const std::int64_t vocabulary = (spec.decoder ? spec.decoder : spec.encoder)->vocabulary;
    const auto isToken = [&](std::int64_t id) { return id >= 0 && id < vocabulary; };
    const auto wrong = [&](const char *key, std::int64_t id) {
        return '"' + std::string(key) + "\" has the token id " + std::to_string(id) + ", but there are "
             + std::to_string(vocabulary) + " tokens.";
    };
    if (!spec.encoder && !isToken(settings.padId))
        settings.padId = 0; // fills rows up, whatever it is
    if (!isToken(settings.padId))
        keys.fail(wrong("pad_token_id", settings.padId));
    if (!spec.decoder || !spec.encoder)
        return;
    if (!isToken(settings.startId))
        keys.fail(wrong("decoder_start_token_id", settings.startId));
    const auto check = [&](const char *key, std::int64_t id) {
        if (!isToken(id))
            settings.refused.push_back(wrong(key, id));
    };
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

bool isOfVersion5(const nlohmann::json &config)
{
    const auto found = config.is_object() ? config.find("transformers_version") : config.end();
    if (!config.is_object() || found == config.end() || !found->is_string())
        return false;
    const std::string version = found->get<std::string>();
    return parsedNumber<std::size_t>(version.substr(0, version.find('.'))).value_or(0) >= 5;
}

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
