#include "tests/core/model/fixturemodel.h"

#include "core/model/family.h"

#include <torch/types.h>

namespace headscope::testing {

nlohmann::json marianConfig()
{
    return {{"model_type", "marian"},
            {"vocab_size", 32},
            {"d_model", 16},
            {"encoder_layers", 2},
            {"decoder_layers", 2},
            {"encoder_attention_heads", 4},
            {"decoder_attention_heads", 4},
            {"encoder_ffn_dim", 24},
            {"decoder_ffn_dim", 24},
            {"max_position_embeddings", 24},
            {"activation_function", "swish"},
            {"scale_embedding", true},
            {"pad_token_id", 31},
            {"decoder_start_token_id", 31},
            {"eos_token_id", 0},
            {"forced_eos_token_id", 0},
            {"bad_words_ids", {{31}}},
            {"max_length", 12}};
}

std::map<std::string, torch::Tensor> filledTensors(const TransformerSpec &spec, const nlohmann::json &config)
{
    const Family *family = findFamily(config, "config.json").valueOrThrow();
    std::map<std::string, torch::Tensor> tensors;
    for (const WeightSlot &slot : weightSlots(spec)) {
        const std::string name = family->recipe(slot.name, spec).names.front();
        int sum = 0;
        for (unsigned char c : name)
            sum += c;
        std::int64_t count = 1;
        for (std::int64_t size : slot.shape)
            count *= size;
        auto x = torch::sin(0.7 * torch::arange(1, count + 1, torch::kFloat64) + 0.13 * (sum % 97));
        if (slot.shape.size() == 1 && name.ends_with("weight"))
            x = 1 + 0.1 * x;
        else
            x = (name.ends_with("bias") ? 0.1 : 0.35) * x;
        tensors[slot.name] = x.reshape(slot.shape).to(torch::kFloat32);
    }
    return tensors;
}

TransformerSpec specOf(const nlohmann::json &config)
{
    return findFamily(config, "config.json").valueOrThrow()->makeSpec(config, {}).valueOrThrow();
}

Transformer fixtureModel(const nlohmann::json &config)
{
    TransformerSpec spec = specOf(config);
    auto weights = TransformerWeights::assemble(spec, filledTensors(spec, config));
    return Transformer(std::move(spec), std::move(weights));
}

torch::Tensor forcedLogits(const Transformer &model, const std::vector<std::vector<std::int64_t>> &sources,
                           const std::vector<std::vector<std::int64_t>> &targets, const HeadGates &gates,
                           Recorder *recorder)
{
    const std::int64_t pad = model.spec().generation.padId;
    const Memory memory = model.encode(TokenBatch::pad(sources, pad, torch::kCPU), gates, recorder);
    return model.logits(model.decode(TokenBatch::pad(targets, pad, torch::kCPU), &memory, gates, recorder));
}

double distance(const torch::Tensor &a, const torch::Tensor &b)
{
    return (a - b).abs().max().item<double>();
}

} // namespace headscope::testing
