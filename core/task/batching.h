#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Ids in batches of similar length: padded to its longest row, no batch has more than `batchTokens` tokens (a longer
/// row is a batch of its own).
std::vector<std::vector<std::int64_t>> batchesByLength(std::vector<std::int64_t> ids, std::int64_t batchTokens,
                                                       const std::function<std::int64_t(std::int64_t)> &lengthOf);

/// 0 … size − 1
std::vector<std::int64_t> allIds(std::int64_t size);

} // namespace headscope
