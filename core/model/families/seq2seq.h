#pragma once

#include "core/model/family.h"

#include <cstdint>
#include <string>
#include <string_view>

/// The common parts of BART and its relatives: names of tensors, keys of config.json, an encoder and a decoder of
/// one width.
namespace headscope::seq2seq {

/// Settings that a class fixes, and its own values for keys that config.json may lack.
struct Traits
{
    const char *family = "";
    NormPlacement placement = NormPlacement::Post;
    bool embeddingNorm = false;
    bool finalNorm = false;
    PositionSpec positions{};
    bool outputBias = true;
    const char *activation = "gelu";
    bool scaleEmbedding = false;
    std::int64_t vocabulary = 50265;
    bool classifies = false; ///< there are models of the class with a head for texts
};

/// Errors are kept in `keys`, which reads `config`; then the stacks are missing.
TransformerSpec makeSpec(const nlohmann::json &config, const nlohmann::json &generationConfig, const Traits &traits,
                         ConfigReader &keys);

/// "classifier.dense.weight" → "classification_head.dense.weight"
std::string classifierName(const std::string &slot);

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec);

/// Computed tables and names that tied tensors have beside their first.
bool isIgnored(std::string_view checkpointName);

} // namespace headscope::seq2seq
