#pragma once

#include "core/formats/atomicfile.h"
#include "core/io/checkpointwriter.h"

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

/// The GPT-2 of writeInductionModel(). Its stream has a place for every token, one for every position, and one for
/// every token that came before.
namespace inductionmodel {
constexpr std::int64_t kTokens = 24, kPositions = 32, kWidth = kTokens + kPositions + kTokens;
constexpr std::int64_t kHeads = 2, kHeadWidth = kWidth / kHeads;
constexpr std::int64_t kBack = 5; ///< how far the copying head looks back

/// A map [to, from] of `count` places, one to one.
struct Places
{
    std::int64_t to = 0, from = 0, count = 0;
    double factor = 1;
};

/// A tensor of GPT-2's Conv1D keeps [in, out].
inline void set(torch::Tensor &conv, const Places &places, std::int64_t columns)
{
    for (std::int64_t i = 0; i < places.count; ++i)
        conv[places.from + i][columns + places.to + i] = places.factor;
}
} // namespace inductionmodel

/// Writes a GPT-2 of two layers of two heads without feed-forward layers, whose weights are set by hand: head 0 of
/// layer 0 looks at the previous token and writes it beside the present one; head 0 of layer 1 looks where its own
/// token was the previous one, and copies what it finds there: an induction head; head 1 of layer 1 looks five tokens
/// back and copies; head 1 of layer 0 does nothing. There is no tokenizer.
inline void writeInductionModel(const std::filesystem::path &folder)
{
    using namespace inductionmodel;
    namespace fs = std::filesystem;
    fs::create_directories(folder);
    const nlohmann::json config{{"architectures", {"GPT2LMHeadModel"}},
                                {"model_type", "gpt2"},
                                {"vocab_size", kTokens},
                                {"n_embd", kWidth},
                                {"n_layer", 2},
                                {"n_head", kHeads},
                                {"n_inner", 1},
                                {"n_positions", kPositions},
                                {"bos_token_id", 0},
                                {"eos_token_id", 0}};
    (void)writeFileAtomically(folder / "config.json", config.dump()).valueOrThrow();
    constexpr double kSharp = 6, kWeak = 0.2;
    constexpr std::int64_t kPosition = kTokens, kPrevious = kTokens + kPositions;
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    const auto add = [&](const std::string &name, const torch::Tensor &tensor) { tensors.emplace_back(name, tensor); };
    auto tokens = torch::zeros({kTokens, kWidth});
    tokens.narrow(1, 0, kTokens).copy_(torch::eye(kTokens));
    add("transformer.wte.weight", tokens);
    auto positions = torch::zeros({kPositions, kWidth});
    positions.narrow(1, kPosition, kPositions).copy_(torch::eye(kPositions));
    add("transformer.wpe.weight", positions);
    for (int layer = 0; layer < 2; ++layer) {
        auto queryKeyValue = torch::zeros({kWidth, 3 * kWidth});
        auto out = torch::zeros({kWidth, kWidth});
        const auto setHead = [&](std::int64_t head, const Places &query, const Places &key, std::int64_t target) {
            const std::int64_t column = head * kHeadWidth;
            set(queryKeyValue, query, column);
            set(queryKeyValue, key, kWidth + column);
            set(queryKeyValue, {0, 0, kTokens, kWeak}, 2 * kWidth + column);
            auto rows = out.narrow(0, column, kHeadWidth);
            set(rows, {target, 0, kTokens}, 0);
        };
        const auto looksBack = [&](std::int64_t head, std::int64_t distance, std::int64_t target) {
            setHead(head, {0, kPosition + distance, kPositions - distance, kSharp},
                    {0, kPosition, kPositions - distance, kSharp}, target);
        };
        if (layer == 0) {
            looksBack(0, 1, kPrevious);
        } else {
            setHead(0, {0, 0, kTokens, kSharp}, {0, kPrevious, kTokens, kSharp}, 0);
            looksBack(1, kBack, 0);
        }
        const std::string name = "transformer.h." + std::to_string(layer) + '.';
        add(name + "attn.c_attn.weight", queryKeyValue);
        add(name + "attn.c_attn.bias", torch::zeros({3 * kWidth}));
        add(name + "attn.c_proj.weight", out);
        add(name + "attn.c_proj.bias", torch::zeros({kWidth}));
        add(name + "mlp.c_fc.weight", torch::zeros({kWidth, 1}));
        add(name + "mlp.c_fc.bias", torch::zeros({1}));
        add(name + "mlp.c_proj.weight", torch::zeros({1, kWidth}));
        add(name + "mlp.c_proj.bias", torch::zeros({kWidth}));
        for (const char *norm : {"ln_1", "ln_2"}) {
            add(name + norm + ".weight", torch::ones({kWidth}));
            add(name + norm + ".bias", torch::zeros({kWidth}));
        }
    }
    add("transformer.ln_f.weight", torch::ones({kWidth}));
    add("transformer.ln_f.bias", torch::zeros({kWidth}));
    (void)writeSafetensors(folder / "model.safetensors", tensors).valueOrThrow();
}

} // namespace headscope::testing
