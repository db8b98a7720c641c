#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// How text is generated. What is not set comes from the model's own generation settings.
struct Decoding
{
    std::optional<int> beams; ///< 1 = greedy
    std::optional<double> lengthPenalty;
    std::optional<int> maxLength; ///< counts the start token

    bool operator==(const Decoding &) const = default;
};

/// What every analysis of a data set needs to know.
struct RunOptions
{
    Decoding decoding;
    std::string metric; ///< by which analyses judge; empty = the task's first
    std::int64_t batchTokens = 1024; ///< source tokens per batch, padding included
    std::uint64_t seed = 12345;
    bool plain = false; ///< every fast path off

    bool operator==(const RunOptions &) const = default;
};

} // namespace headscope
