#pragma once

#include "core/model/family.h"

#include <cstdint>

/// Rotary positions as config.json describes them (transformers' modeling_rope_utils.py).
namespace headscope::rotaryconfig {

/// Where a class has what turns its heads.
struct Keys
{
    const char *base = "rope_theta";
    double baseDefault = 10000;
    const char *share = "partial_rotary_factor"; ///< of a head's columns
    double shareDefault = 1;
    const char *layerType = nullptr; ///< whose part of "rope_parameters" counts, where it has parts
    bool neighbours = false;         ///< pairs are neighbouring columns
    bool otherNames = false;         ///< "su" and "yarn" are longrope, as Phi-3's files have them
};

/// Plain positions, or stretched by "rope_scaling" or "rope_parameters" (linear, dynamic, yarn, longrope, llama3).
/// `positions`, the longest sequence, becomes shorter where longer ones would be turned in another way: longrope has
/// other factors beyond its original positions. (Dynamic stretching begins beyond "max_position_embeddings", which is
/// the longest sequence anyway.) What is unknown in these objects fails the reader, by its name.
RotarySpec read(const nlohmann::json &config, std::int64_t headWidth, const Keys &names, std::int64_t &positions,
                ConfigReader &keys);

/// Without any of that: for layers that a class turns plainly.
RotarySpec plain(double base, std::int64_t headWidth, ConfigReader &keys);

/// Rotary positions of layers with windows: transformers 5 has a part of "rope_parameters" for them
/// ("sliding_attention"); without it they are turned plainly, by `base`.
RotarySpec local(const nlohmann::json &config, double base, std::int64_t headWidth, ConfigReader &keys);

} // namespace headscope::rotaryconfig
