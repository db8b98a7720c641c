#pragma once

#include "core/model/families/rotary.h"
#include "core/model/family.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The common parts of decoders without memory since Llama: keys of config.json, names of tensors, rotary positions,
/// heads that share keys and values, layers whose heads see a window only.
namespace headscope::causalfamily {

/// A class's own values for keys that config.json may lack, and what it calls them. Where a name is null the value is
/// in the class.
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
    bool turned = true; ///< false: there are no rotary positions
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

/// config.json by the names that this file reads: pairs of these and of the class's own; what is there by the first
/// stays.
nlohmann::json withNames(nlohmann::json config, std::initializer_list<std::pair<const char *, const char *>> names);
/// As classes since GPT-2 say it: "n_embd", "n_layer", "n_head", "n_positions", "n_inner" (or four times the width).
nlohmann::json withGptNames(const nlohmann::json &config, std::int64_t width);
/// Layer norms with biases, positions learnt or computed.
void setPositions(Draft &draft, const PositionSpec &positions, ConfigReader &keys);
/// Slopes of ALiBi for so many heads (Press et al. 2022), as BLOOM has them.
std::vector<float> alibiSlopes(std::int64_t heads);

void setBiases(AttentionSpec &attention, bool biases);

/// The end of a family's makeSpec. `change` sees every sub-layer of the equal ones that the draft makes.
Result<TransformerSpec> finished(Draft draft, const nlohmann::json &config, ConfigReader &keys,
                                 const std::function<void(SubLayer &)> &change = {});

/// The names of the parts of experts in config.json, and what a class has where a key is missing.
struct ExpertKeys
{
    std::int64_t count = 8;
    std::int64_t chosen = 2;
    const char *width = "intermediate_size";
    std::int64_t widthDefault = 0;    ///< where it is another key than the draft's feed-forward layer has
    const char *normalized = nullptr; ///< the key of a flag that says whether weights sum to 1; null: they do
};
/// Experts in the place of the draft's feed-forward layer, whose width without them is given back.
std::int64_t readExperts(Draft &draft, const ExpertKeys &names, ConfigReader &keys);
/// Layers that have one feed-forward layer and no experts ("mlp_only_layers", "decoder_sparse_step").
std::vector<bool> denseLayers(const nlohmann::json &config, std::int64_t layers, ConfigReader &keys);

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
/// GPT-2's: "decoder.2.self.out.weight" → "transformer.h.2.attn.c_proj.weight", after the family's own parts.
TensorRecipe gpt2Recipe(const std::string &slot, std::span<const NamePart> own = {});
/// "decoder.2.feed_forward.expert.5.in.weight" → 5; nothing for slots of no expert.
std::optional<std::int64_t> expertOf(const std::string &slot);
/// How many a layer has.
std::int64_t expertsIn(const TransformerSpec &spec, int layer);
/// Experts as Qwen's families have them: "mlp.gate", "mlp.experts.5.up_proj", "mlp.shared_expert_gate".
TensorRecipe qwenExpertRecipe(const std::string &slot, const TransformerSpec &spec);
/// A recipe of queries, keys and values, or of gate and inner columns, that lie in one tensor of these names.
TensorRecipe withFusedGates(TensorRecipe recipe, const std::string &slot);

/// Frequencies of rotary positions that old versions saved, and the output matrix of a tied model.
bool isIgnored(std::string_view name);

} // namespace headscope::causalfamily
