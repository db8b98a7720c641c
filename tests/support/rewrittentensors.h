#pragma once

#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"

#include <torch/types.h>

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

} // namespace headscope::testing
