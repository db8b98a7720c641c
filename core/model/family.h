#pragma once

#include "core/model/modelsizes.h"
#include "core/model/spec.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// What config.json of a new model is made from.
struct NewModel
{
    ModelSizes sizes;
    std::int64_t vocabulary = 0; ///< with special tokens as the family's tokenizer orders them
    double dropout = 0;
    int beams = 1;
};

/// Who loads a model of a family whose layers have lost heads (FORMATS 10.2).
enum class PrunedLoading {
    HeadscopeOnly,
    Transformers,            ///< versions before 5, by "pruned_heads"
    TransformersUnlessEmpty, ///< likewise, but not with a layer without heads
};

/// What a model family must say: how its config.json becomes a spec, and what the checkpoint calls our tensors.
/// A new family is one file in families/ and one line in family.cpp.
struct Family
{
    std::string_view modelType; ///< of config.json
    std::string_view task;      ///< "translation" or "classification"
    /// generation_config.json is null where the folder has none.
    Result<TransformerSpec> (*makeSpec)(const nlohmann::json &config, const nlohmann::json &generationConfig);
    /// Names in the checkpoint under which our tensor may be found, the preferred one first.
    std::vector<std::string> (*checkpointNames)(const std::string &slot);
    /// True for tensors of the checkpoint that are known and not needed.
    bool (*isIgnored)(std::string_view checkpointName);
    /// config.json of a new model, for training; null where new models are not made.
    nlohmann::ordered_json (*newConfig)(const NewModel &model);
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
    explicit ConfigReader(const nlohmann::json &config) : m_config(config) {}

    std::int64_t integer(std::initializer_list<const char *> keys, std::int64_t fallback, std::int64_t least,
                         std::int64_t most);
    double number(const char *key, double fallback);
    bool flag(const char *key, bool fallback);
    std::string text(const char *key, const std::string &fallback);
    void fail(std::string message);
    /// The first trouble, if there was any.
    const std::optional<Error> &error() const { return m_error; }

private:
    const nlohmann::json *find(const char *key) const;
    const nlohmann::json &m_config;
    std::optional<Error> m_error;
};

/// "swish" → Silu …; an unknown name fails the reader.
Activation parseActivation(const std::string &name, ConfigReader &reader);

/// Generation settings of an encoder-decoder (FORMATS 5.1): generation_config.json wins over config.json.
GenerationSettings readGenerationSettings(const nlohmann::json &config, const nlohmann::json &generationConfig,
                                          ConfigReader &reader);

/// Heads 0 … count−1 for every layer.
std::vector<std::vector<int>> allHeads(std::int64_t layers, std::int64_t count);

/// The number that a key is, which JSON can only hold as text.
std::optional<std::size_t> wholeNumber(const std::string &text);

/// A part of a slot's name and what the checkpoint has in its place.
using NamePart = std::pair<const char *, const char *>;
/// `slot` with every part that it contains replaced, one after the other.
std::string renamed(std::string slot, std::span<const NamePart> parts);

} // namespace headscope
