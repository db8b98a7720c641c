#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace headscope {

/// The folder of a model as its user names it: a folder with files; the folder that Hugging Face's cache has of it
/// (models--org--name), which stands for its newest snapshot: that of the branch main, or else the one that was written
/// last; or a name as the Hub has it, "org/name" or "name", which is looked up in that cache ($HF_HUB_CACHE,
/// $HF_HOME/hub, ~/.cache/huggingface/hub); or a file in GGUF. Nothing is fetched. Errors: no such folder and no such
/// model in the cache, with how to fetch it; a model in the cache without files; another file where a folder should be.
Result<std::filesystem::path> modelFolder(const std::filesystem::path &named);

} // namespace headscope
