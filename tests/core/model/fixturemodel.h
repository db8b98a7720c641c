#pragma once

#include "core/model/generate.h"
#include "core/model/transformer.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope::testing {

/// Weights by the fill rule of the golden files: entry i of a tensor is sin(0.7·(i+1) + 0.13·h), h the sum of the
/// bytes of its name modulo 97, scaled by 0.35 (matrices), 0.1 (biases) or as 1 + 0.1·x (norms).
std::map<std::string, torch::Tensor> filledTensors(const TransformerSpec &spec, const nlohmann::json &config);

/// config.json of the goldens' Marian model: 2+2 layers, 4 heads, width 16, vocabulary 32, pad = start = 31, end 0.
nlohmann::json marianConfig();

TransformerSpec specOf(const nlohmann::json &config);
Transformer fixtureModel(const nlohmann::json &config = marianConfig());

/// The goldens' source rows, and the decoder input they were asked about.
inline const std::vector<std::vector<std::int64_t>> kSources = {{5, 6, 7, 0}, {8, 9, 0}};
inline const std::vector<std::vector<std::int64_t>> kTargets = {{31, 4, 9}, {31, 3, 3}};

/// Teacher-forced logits [B, T, V]; rows padded with the model's padding id.
torch::Tensor forcedLogits(const Transformer &model, const std::vector<std::vector<std::int64_t>> &sources,
                           const std::vector<std::vector<std::int64_t>> &targets, const HeadGates &gates = {},
                           Recorder *recorder = nullptr);

/// Largest absolute difference.
double distance(const torch::Tensor &a, const torch::Tensor &b);

} // namespace headscope::testing
