#pragma once

#include "core/model/family.h"

#include <cstdint>

/// Which attentions of a model share their query and key projections, as config.json says it:
/// "headscope_shared_projections": {"encoder": {"0": 256, "2": 128}, "cross": {…}, …}, D̃_k by kind of attention and
/// layer. What is not named there has projections of its own. In the checkpoint the projections' tensors have D̃_k rows
/// and no biases; beside them lie "mixing" [H, D̃_k] and, where there are query biases, "content.weight" [H, D]
/// (spec.h).
namespace headscope {

/// Makes the attentions that config.json names share their projections. Errors are kept in `keys`.
void readSharedProjections(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys);

/// config.json's text for the model of `spec`; everything else stays as it is, in its order. Precondition: `config` is
/// an object.
nlohmann::ordered_json withSharedProjections(nlohmann::ordered_json config, const TransformerSpec &spec);

/// Makes an attention share projections of `width` columns. Throws Failure (usage) where that cannot be said: rotary
/// positions rotate the queries and keys of every head separately.
void shareProjections(AttentionSpec &attention, std::int64_t width);
/// All attentions of a model.
void shareAllProjections(TransformerSpec &spec, std::int64_t width);

} // namespace headscope
