#pragma once

#include "core/io/checkpoint.h"
#include "core/model/family.h"
#include "core/model/transformer.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A model folder as far as it is needed to run it.
struct LoadedModel
{
    std::shared_ptr<const Transformer> transformer;
    nlohmann::json config;
    const Family *family = nullptr;
    std::shared_ptr<const Checkpoint> checkpoint;
    std::map<std::string, std::string> checkpointNames; ///< our slot name → name in the checkpoint
    std::int64_t parameters = 0;
    std::vector<std::string> warnings; ///< extra tensors, odd values
};

/// Reads config.json, generation_config.json and the weights, and checks every shape before anything is allocated.
/// Errors name the tensor, its shape and the expected one.
Result<LoadedModel> loadModel(const std::filesystem::path &folder, const torch::TensorOptions &options,
                              const JobControl &control);

} // namespace headscope
