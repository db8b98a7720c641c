#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/formats/atomicfolder.h" // folders of models are made so
#include "core/model/family.h"

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace headscope {

/// The hash of every file that decides how the model computes and reads, besides its weights, by name: configuration
/// and tokenizer files, as far as they are there.
Result<std::map<std::string, std::string>> hashModelFiles(const std::filesystem::path &folder);

/// Identity of everything in the folder that decides what the model computes: its weights and those files.
Result<std::string> hashModel(const std::filesystem::path &folder, const JobControl &control);

/// Copies what makes a folder a model besides its weights: configuration and tokenizer files, nothing else.
/// Errors: what cannot be read or written.
Result<Done> copyModelFiles(const std::filesystem::path &source, const std::filesystem::path &target);

/// The folder that a new model is to be written to: `target` without a slash at the end, if nothing is in its way.
Result<std::filesystem::path> newModelFolder(const std::filesystem::path &target);

/// config.json of an opened model with its keys in their order.
Result<nlohmann::ordered_json> readOrderedConfig(const std::filesystem::path &folder);

/// Takes "quantization_config" out of a folder's config.json, if it has one: what is written there is not in few bits.
Result<Done> withoutQuantisation(const std::filesystem::path &folder);

/// Writes tensors by slot name (weights.h) as model.safetensors under the names that the family prefers.
Result<Done> writeModelWeights(const std::filesystem::path &folder, const Family &family, const TransformerSpec &spec,
                               const std::map<std::string, torch::Tensor> &tensors, torch::ScalarType dtype);

} // namespace headscope
