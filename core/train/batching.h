#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {

/// Tokens of an example: source and target.
using ExampleLength = std::pair<std::int64_t, std::int64_t>;

/// The batches of one epoch: examples of similar length together, so that little is padding, equal lengths and the
/// batches themselves in an order that depends on seed and epoch only. A batch has at most `batchTokens` tokens on
/// its longer side, padding included (an example longer than that is a batch of its own).
std::vector<std::vector<std::int64_t>> epochBatches(const std::vector<ExampleLength> &lengths, std::int64_t batchTokens,
                                                    std::uint64_t seed, std::int64_t epoch);

/// A batch cut into parts of about equal tokens, at most `partTokens` each where that is possible. The parts do not
/// depend on the number of threads: neither do sums over them.
std::vector<std::vector<std::int64_t>> batchParts(const std::vector<std::int64_t> &batch,
                                                  const std::vector<ExampleLength> &lengths, std::int64_t partTokens);

} // namespace headscope
