#pragma once

#include "core/base/result.h"
#include "core/model/modelsizes.h"
#include "core/model/recipes.h"
#include "core/model/spec.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// The settings that config.json of a new model is made from.
struct NewModel
{
    ModelSizes sizes;
    std::int64_t vocabulary = 0; ///< with special tokens as the family's tokenizer orders them
    double dropout = 0;
    int beams = 1;
    std::vector<std::string> labels{}; ///< of a classifier
};

/// Which programs load a model of a family whose layers have lost heads.
enum class PrunedLoading {
    HeadscopeOnly,
    Transformers, ///< versions before 5, by "pruned_heads", as long as every layer has a head
};

/// A model family: how its config.json becomes a spec, and the names of our tensors in its checkpoints. A
/// new family is one file in families/ and one line in family.cpp.
struct Family
{
    std::string_view modelType; ///< of config.json
    std::string_view models;    ///< what opens, and its limits, in a few words
    /// generation_config.json is null where the folder has none.
    Result<TransformerSpec> (*makeSpec)(const nlohmann::json &config, const nlohmann::json &generationConfig);
    /// Where the checkpoint has our tensor of a model with this spec.
    TensorRecipe (*recipe)(const std::string &slot, const TransformerSpec &spec);
    /// True for tensors of the checkpoint that are known and not needed.
    bool (*isIgnored)(std::string_view checkpointName);
    /// config.json of a new model, for training; null where new models are not made.
    nlohmann::ordered_json (*newConfig)(const NewModel &model) = nullptr;
    PrunedLoading prunedLoading = PrunedLoading::HeadscopeOnly;
};

std::span<const Family> families();
/// An unknown model_type gives an error that lists the known ones.
Result<const Family *> findFamily(const nlohmann::json &config, const std::string &configFile);

/// Reads typed keys of a config.json; a missing key gives the default, a wrong type or range an error that is kept
/// until finish(). Aliases are tried in turn.
class ConfigReader
{
public:
    explicit ConfigReader(const nlohmann::json &config) : m_config(config) { }

    std::int64_t integer(std::initializer_list<const char *> keys, std::int64_t fallback, std::int64_t least,
                         std::int64_t most);
    double number(const char *key, double fallback);
    bool flag(const char *key, bool fallback);
    std::string text(const char *key, const std::string &fallback);
    void fail(std::string message);
    /// The first error, if there was any.
    const std::optional<Error> &error() const { return m_error; }

private:
    const nlohmann::json *find(const char *key) const;
    const nlohmann::json &m_config;
    std::optional<Error> m_error;
};

/// "swish" → Silu …; an unknown name fails the reader.
Activation parseActivation(const std::string &name, ConfigReader &reader);

/// Which decoder generates.
enum class Generates {
    FromStart,  ///< its first token is in the configuration
    FromPrompt, ///< has prompts; without any it begins with its first token, or else with its end
    Nothing,    ///< its output is classified
};

/// Generation settings of a decoder: those of generation_config.json where there is one, else of
/// config.json.
GenerationSettings readGenerationSettings(const nlohmann::json &config, const nlohmann::json &generationConfig,
                                          Generates generates, ConfigReader &reader);

/// config.json's name of the class that the checkpoint was saved by; empty: it does not say.
std::string architectureOf(const nlohmann::json &config);

/// Whether transformers 5 or newer wrote this config.json or generation_config.json.
bool isOfVersion5(const nlohmann::json &config);

/// config.json with a class's own values for keys that it lacks altogether (null is a value).
nlohmann::json withDefaults(nlohmann::json config, const nlohmann::json &defaults);

/// The end of every makeSpec: heads that config.json names are taken out, and token ids must be in the vocabulary.
Result<TransformerSpec> finishedSpec(TransformerSpec spec, const nlohmann::json &config, ConfigReader &keys);

/// The most positions of a learnt or computed table of this width that a config.json may ask for.
std::int64_t mostPositions(std::int64_t width);

/// `count` heads that share the width `width`, with the scale 1/√Dh; errors name the keys.
void setHeads(AttentionSpec &attention, std::int64_t width, std::int64_t count, const char *widthKey,
              const char *headsKey, ConfigReader &keys);

/// A stack of equal layers: attention to itself, to the memory where the decoder reads one, feed-forward. `attention`
/// says what all its attentions share; all of its heads are there.
struct LayerShape
{
    std::int64_t layers = 0;
    AttentionSpec attention{};
    FeedForwardSpec feedForward{};
    bool readsMemory = false;
};
StackSpec makeStack(Side side, const LayerShape &shape, std::int64_t vocabulary);

/// A part of a slot's name and what the checkpoint has in its place.
using NamePart = std::pair<const char *, const char *>;
/// `slot` with every part that it contains replaced, one after the other.
std::string renamed(std::string slot, std::span<const NamePart> parts);
/// A slot of a decoder without memory, by its name in the class's base model, whose prefix stands before it or not. The
/// output matrix and a classifier ("score") lie beside that model.
TensorRecipe decoderRecipe(const std::string &slot, const std::string &prefix, const std::string &name,
                           const std::string &output = "lm_head");
/// Slots of the parts that lie in one tensor with `slot`: "decoder.2.self.key.bias", {"query", "key"} →
/// "decoder.2.self.query.bias", "decoder.2.self.key.bias".
std::vector<std::string> fusedParts(const std::string &slot, std::initializer_list<const char *> parts);
/// "decoder.2.self.key.bias" → 2. Precondition: a sub-layer's slot.
int layerOf(const std::string &slot);

} // namespace headscope
