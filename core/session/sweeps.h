#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <vector>

namespace headscope {

/// Joins the journals of a sweep's shards (AblationSpec::shard) into a new one, from which the same sweep makes its
/// result at once. Errors: files of different sweeps, blocks of examples that none has, or two with other numbers;
/// `joined` is there.
Result<Done> joinSweeps(const std::vector<std::filesystem::path> &shards, const std::filesystem::path &joined);

} // namespace headscope
