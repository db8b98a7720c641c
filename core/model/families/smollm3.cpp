// SmolLM3ForCausalLM: a decoder of Llama's shape, every few layers of which have no positions.
#include "core/model/families/causal.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headscope {
namespace smollm3family {

using namespace causalfamily;

/// Which layers turn queries and keys: "no_rope_layers" has 1 for those that do.
std::vector<bool> turnedLayers(const nlohmann::json &config, std::int64_t layers, ConfigReader &keys)
{
    const std::int64_t interval = keys.integer({"no_rope_layer_interval"}, 4, 1, 1 << 20);
    std::vector<bool> turned;
    const auto given = config.find("no_rope_layers");
    if (given == config.end() || given->is_null()) {
        for (std::int64_t layer = 0; layer < layers; ++layer)
            turned.push_back((layer + 1) % interval != 0);
        return turned;
    }
    for (const auto &one : given->is_array() ? *given : nlohmann::json::array()) {
        if (one != 0 && one != 1)
            keys.fail("\"no_rope_layers\" has " + one.dump() + ", expected 0 or 1.");
        turned.push_back(one == 1);
    }
    if (std::ssize(turned) != layers)
        keys.fail("\"no_rope_layers\" has " + std::to_string(turned.size()) + " entries for " + std::to_string(layers)
                  + " layers (\"num_hidden_layers\").");
    turned.resize(static_cast<std::size_t>(layers));
    return turned;
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(
        file,
        {{"bos_token_id", 128000}, {"eos_token_id", 128001}, {"pad_token_id", 128004}, {"sliding_window", nullptr}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "smollm3",
                        .vocabulary = 128256,
                        .width = 2048,
                        .layers = 36,
                        .heads = 16,
                        .keyHeads = 4,
                        .positions = 1 << 15,
                        .tied = true,
                        .rotary = {.baseDefault = 2e6}},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    const auto turned = turnedLayers(config, draft.shape.layers, keys);
    const std::int64_t window = keys.flag("use_sliding_window", false) ? slidingWindow(0, keys) : 0;
    const auto sliding = slidingLayers(
        config, draft.shape.layers,
        [&](std::int64_t layer) { return window > 0 && !turned[static_cast<std::size_t>(layer)]; }, keys);
    const auto reach = window > 0 ? reachOf(window, draft.spec.maxPositions) : std::nullopt;
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
        auto *attention = std::get_if<AttentionSpec>(&sub.part);
        if (attention && !turned[static_cast<std::size_t>(sub.layer)])
            attention->rotary.reset();
    });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

} // namespace smollm3family

extern const Family kSmolLm3Family;
const Family kSmolLm3Family{"smollm3", "SmolLM3, some layers of which have no positions (to generate or to classify)",
                            smollm3family::makeSpec, smollm3family::recipe, causalfamily::isIgnored};

} // namespace headscope
