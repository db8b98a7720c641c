#pragma once

#include "core/base/enumnames.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// How text is generated. What is not set comes from the model's own generation settings.
struct Decoding
{
    std::optional<int> beams; ///< 1 = greedy
    std::optional<double> lengthPenalty;
    std::optional<int> maxLength; ///< counts the start token
    std::string task{};           ///< whose settings of the model's "task_specific_params" count; empty: none
    std::optional<int> newTokens; ///< of what follows a prompt
    /// Text at which what follows a prompt ends, "\n" a new line, or a list of texts in JSON; empty: a new line.
    std::string stop{};

    bool operator==(const Decoding &) const = default;
};

/// How a fast path makes its matrix products. Decisions (tokens, labels) are those of float32 in any case.
enum class ProductChoice {
    Auto,    ///< the fastest
    Library, ///< LibTorch's, in f32: what runs where oneDNN does not
    Exact,   ///< in float32 over rows without padding
    Split,   ///< as three products of bfloat16 numbers, again in float32 where a decision is doubtful
    Half,    ///< in bfloat16, then like Split where a decision is doubtful
    Byte,    ///< in 8 bits, then like Half where a decision is doubtful
};

template<>
struct EnumNames<ProductChoice>
{
    static constexpr std::array<std::string_view, 6> values{"auto", "library", "exact", "split", "half", "byte"};
    static constexpr const char *what = "kind of products";
};

/// Options of every analysis of a data set.
struct RunOptions
{
    Decoding decoding;
    std::string metric;           ///< by which analyses judge; empty = the task's first
    std::int64_t batchTokens = 0; ///< source tokens per batch, padding included; 0 = what suits the device
    std::uint64_t seed = 12345;
    bool plain = false; ///< every fast path off
    ProductChoice products = ProductChoice::Auto;
    std::int64_t memory = 0; ///< bytes for the states kept for variants, besides the model; 0 = Execution::memory()

    bool operator==(const RunOptions &) const = default;
};

} // namespace headscope
