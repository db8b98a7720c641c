#pragma once

#include "core/model/family.h"

/// Which heads a model lacks, as config.json says it: "pruned_heads": {"0": [1, 3]} of the single stacks that
/// transformers can prune, and "headscope_pruned_heads": {"cross": {"0": [1, 3]}, …} of all others,
/// where such a key would crash its reader. Always in the numbering of the unpruned model.
namespace headscope {

/// Takes the heads that config.json names out of a spec that has all of them. Errors are kept in `keys`.
void readPrunedHeads(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys);

/// config.json's text for the model of `spec`, whose layers have lost heads or not; everything else stays as it is, in
/// its order. Precondition: `config` is an object.
nlohmann::ordered_json withPrunedHeads(nlohmann::ordered_json config, const TransformerSpec &spec,
                                       PrunedLoading loading);

/// The spec of the model before any pruning.
TransformerSpec unprunedSpec(TransformerSpec spec);

} // namespace headscope
