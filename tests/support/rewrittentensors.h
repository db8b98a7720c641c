#pragma once

#include "core/base/random.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

/// Writes the tensors of a model's folder again, each as `change` leaves it.
inline void rewriteTensors(const std::filesystem::path &folder,
                           const std::function<void(const std::string &name, torch::Tensor &tensor)> &change)
{
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    {
        const Checkpoint checkpoint = Checkpoint::open(folder).valueOrThrow();
        for (const std::string &name : checkpoint.names()) {
            torch::Tensor tensor = checkpoint.tensor(name).valueOrThrow().clone();
            change(name, tensor);
            tensors.emplace_back(name, tensor);
        }
    }
    (void)writeSafetensors(folder / "model.safetensors", tensors).valueOrThrow();
}

/// Draws all matrices of a tiny language model anew, those of model number `number`: attention is nearly uniform in
/// some and sharp in others.
inline void drawRandomWeights(const std::filesystem::path &folder, int number)
{
    Random random(static_cast<std::uint64_t>(100 + number));
    const double sharp = std::pow(4.0, number % 4); // 1, 4, 16, 64 times
    rewriteTensors(folder, [&](const std::string &name, torch::Tensor &tensor) {
        if (tensor.dim() < 2)
            return;
        const double deviation = name.find("c_attn") != std::string::npos ? 0.1 * std::sqrt(sharp) : 0.3;
        auto *numbers = tensor.data_ptr<float>();
        for (std::int64_t i = 0; i < tensor.numel(); ++i)
            numbers[i] = static_cast<float>(normal(random, deviation));
    });
}

} // namespace headscope::testing
