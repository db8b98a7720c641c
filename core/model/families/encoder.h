#pragma once

#include "core/model/family.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The common parts of BERT and its relatives: an encoder with post-norm layers and learnt positions, and above it a
/// classifier over its first position, a head that guesses masked tokens, or nothing.
namespace headscope::encoderfamily {

/// Keys of config.json, with the class's own defaults.
struct Defaults
{
    const char *width = "hidden_size";
    const char *layers = "num_hidden_layers";
    const char *heads = "num_attention_heads";
    const char *feedForward = "intermediate_size";
    const char *activation = "hidden_act";
    std::int64_t widthDefault = 768;
    std::int64_t layersDefault = 12;
    std::int64_t headsDefault = 12;
    std::int64_t feedForwardDefault = 3072;
    std::int64_t padDefault = 0;
    std::int64_t typesDefault = 2;                      ///< 0: the family has no token types
    Activation classifierActivation = Activation::Tanh; ///< of the classifier's dense layer
    std::optional<Activation> maskedLmActivation{};     ///< of the other head's; nothing: as in feed-forward layers
};

/// The head is the one that "architectures" speaks of; without it a classifier. Errors are kept in `keys`.
TransformerSpec makeSpec(const nlohmann::json &config, std::string family, const Defaults &defaults,
                         ConfigReader &keys);

/// Puts the head on the encoder that the checkpoint was saved with: a classifier, one that guesses masked tokens, or
/// none. `activation`: of the latter, where the defaults say nothing.
void setHead(const nlohmann::json &config, const Defaults &defaults, Activation activation, TransformerSpec &spec,
             ConfigReader &keys);

/// Names with the base model's prefix and without, since both are found.
std::vector<std::string> withAndWithout(std::string_view prefix, const std::string &name);

/// "encoder.2.self.query.weight" → "encoder.layer.2.attention.self.query.weight" and so on: the names of BERT, RoBERTa
/// and ELECTRA after the prefix.
std::string bertName(const std::string &slot);

/// Buffers and heads for other tasks, in all these families.
bool isIgnored(std::string_view checkpointName);

} // namespace headscope::encoderfamily
