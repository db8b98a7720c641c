#pragma once

#include "core/base/result.h"
#include "core/formats/tensorentry.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// The tensors of a pytorch_model.bin.
struct TorchFile
{
    std::vector<TensorEntry> tensors;
    std::vector<std::string> skipped; ///< names whose value is no tensor that can be read
    std::vector<std::string> warnings;
    /// Values that stand beside the tensors under "args" and "cfg", as fairseq writes them: plain values, attributes of
    /// objects by name; null for everything else. An empty object where there is neither.
    nlohmann::json settings = nlohmann::json::object();
};

/// Reads what torch.save wrote: the zip form (since 1.6) and the older stream of pickles. The tensors may be wrapped
/// under "state_dict", "model" or "module". Executes nothing; every range is checked against the file.
Result<TorchFile> parseTorchFile(std::span<const std::byte> file, const std::string &name);

} // namespace headscope
