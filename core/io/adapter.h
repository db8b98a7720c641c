#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headscope {

class Checkpoint;

/// The folder that has a model's own files: `folder` itself, or, where that holds an adapter alone
/// (adapter_config.json without config.json), the one that it names as its base: a path, from the adapter's folder on
/// where it is relative, or a name as the Hub has it (modelFolder()).
Result<std::filesystem::path> folderOfModel(const std::filesystem::path &folder);
/// The one whose tokenizer reads texts: an adapter's own where it has one, else folderOfModel().
Result<std::filesystem::path> folderOfTokenizer(const std::filesystem::path &folder);
bool hasAdapter(const std::filesystem::path &folder);
/// Its settings and its weights, as far as they are there.
std::vector<std::filesystem::path> filesOfAdapter(const std::filesystem::path &folder);

/// Tensors of the base that an adapter of low rank changes (LoRA, Hu et al. 2022), by name, as peft's
/// merge_and_unload() leaves them, in float32 at least: W + s·B·A, where s is alpha/r or alpha/√r (rslora); and those
/// that it has anew ("modules_to_save"). Errors: another kind of adapter, a setting that changes numbers and is not
/// known, by its key; ranks and shapes that do not go together; tensors that belong to nothing.
Result<std::map<std::string, torch::Tensor>> mergedTensors(const std::filesystem::path &folder, const Checkpoint &base);

} // namespace headscope
