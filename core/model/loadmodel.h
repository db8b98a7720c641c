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
    StoredSlots stored; ///< where the checkpoint has each of our tensors
    std::int64_t parameters = 0;
    std::int64_t memoryBytes = 0; ///< of the weights as they are held: what is computed with, or the file's type
    std::string doubtful; ///< tensors with values that are not finite, or so large that products overflow; empty: none
    std::vector<std::string> warnings; ///< extra tensors, odd values, settings that are not computed

    /// One of our tensors as the checkpoint has it, in the dtype of the file.
    Result<torch::Tensor> tensor(const std::string &slot) const;
    /// All of them, by slot.
    Result<std::map<std::string, torch::Tensor>> tensors() const;
};

/// Weights of a narrower number type than is computed in are widened once, as long as that takes no more than this.
inline constexpr std::int64_t kWidenedAtMost = std::int64_t{1} << 30;

/// Reads config.json, generation_config.json and the weights, and checks every shape before anything is allocated.
/// Where weights would take more than `widenedAtMost` bytes beside the file on a processor, matrices stay in the file's
/// number type if that is narrower, and every product widens its own (widenedproduct.h): the numbers are the same.
/// Errors name the tensor, its shape and the expected one, and say how much memory there would have to be.
Result<LoadedModel> loadModel(const std::filesystem::path &folder, const torch::TensorOptions &options,
                              const JobControl &control, std::int64_t widenedAtMost = kWidenedAtMost);

} // namespace headscope
