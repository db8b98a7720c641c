#pragma once

#include "core/model/families/rotary.h"
#include "core/model/family.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The common parts of decoders without memory since Llama: keys of config.json, names of tensors, rotary positions,
/// heads that share keys and values, layers whose heads see a window only.
namespace headscope::causalfamily {

/// A class's own values for keys that config.json may lack, and what it calls them.
struct Defaults
{
    const char *family = "llama";
    std::int64_t vocabulary = 32000;
    std::int64_t width = 4096;
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    std::int64_t keyHeads = 0;  ///< 0: as many as heads
    std::int64_t headWidth = 0; ///< 0: the width divided by heads
    std::int64_t feedForward = 11008;
    std::int64_t positions = 2048;
    const char *activationKey = "hidden_act";
    const char *activation = "silu";
    const char *epsilonKey = "rms_norm_eps";
    double epsilon = 1e-6;
    bool tied = false;
    bool gated = true;
    rotaryconfig::Keys rotary{};
};

/// A spec whose layers are not made yet.
struct Draft
{
    TransformerSpec spec{};
    LayerShape shape{};
    std::int64_t vocabulary = 0;
};

/// Pre-norm with RMS norms and a final one; attention and feed-forward without biases. Trouble is kept in `keys`, which
/// reads `config`.
Draft read(const nlohmann::json &config, const nlohmann::json &generationConfig, const Defaults &defaults,
           ConfigReader &keys);

void setBiases(AttentionSpec &attention, bool biases);

/// The end of a family's makeSpec. `change` sees every sub-layer of the equal ones that the draft makes.
Result<TransformerSpec> finished(Draft draft, const nlohmann::json &config, ConfigReader &keys,
                                 const std::function<void(SubLayer &)> &change = {});

/// Which layers see a window only, by "layer_types", or by `otherwise` where config.json has none.
std::vector<bool> slidingLayers(const nlohmann::json &config, std::int64_t layers,
                                const std::function<bool(std::int64_t layer)> &otherwise, ConfigReader &keys);
/// "sliding_window": so many positions with its own; 0: it is null.
std::int64_t slidingWindow(std::int64_t fallback, ConfigReader &keys);
/// How far a window reaches back; nothing where texts cannot be longer.
std::optional<std::int64_t> reachOf(std::int64_t window, std::int64_t positions);
/// The attention of a sub-layer in a layer that sees a window only, or null.
AttentionSpec *slidingAttention(SubLayer &sub, const std::vector<bool> &sliding);

/// "decoder.2.self.query.weight" → "layers.2.self_attn.q_proj.weight". `own`: parts that a family calls otherwise.
std::string llamaName(const std::string &slot, std::span<const NamePart> own = {});
/// By Llama's names, with "model." before them and without.
TensorRecipe llamaRecipe(const std::string &slot, std::span<const NamePart> own = {});
/// Frequencies of rotary positions that old versions saved, and the output matrix of a tied model.
bool isIgnored(std::string_view name);

} // namespace headscope::causalfamily
