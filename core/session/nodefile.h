#pragma once

#include "core/base/result.h"
#include "core/results/patchresult.h"

#include <filesystem>
#include <string>

namespace headscope {

/// The effects of a result's heads as the nodes of a graph, in the form that EAP-IG's Graph.from_json() and the MIB
/// benchmark's circuit track read (Mueller et al. 2025). Scores are above zero where a head helps the answer; the input
/// and the feed-forward layers have none, and so stay in every circuit. `model`: the folder that the result is of.
/// Errors: a result along paths; a model that is no language model with a decoder only, or has lost heads.
Result<std::string> nodeFile(const PatchResult &result, CircuitOrder by, const std::filesystem::path &model);

} // namespace headscope
