#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// A piece of a text that a language model reads at once.
struct TokenWindow
{
    std::vector<std::int64_t> ids;
    std::int64_t begin = 0; ///< place of its first token in the text
    /// The first token of the window that is counted; those before it are context only. In the window, not in the text.
    std::int64_t firstCounted = 0;

    std::int64_t counted() const { return static_cast<std::int64_t>(ids.size()) - firstCounted; }
    bool operator==(const TokenWindow &) const = default;
};

/// How texts are cut.
struct WindowCut
{
    std::int64_t length = 0; ///< most tokens of a window, 0 < length; what the model adds (CLS, SEP) not among them
    std::int64_t stride = 0; ///< from window to window, 0 ≤ stride ≤ length; 0: length
    /// Tokens at a window's beginning that cannot be predicted: 1 for causal models (nothing stands before the first
    /// token), 0 where every token can be masked.
    std::int64_t unpredicted = 1;
};

/// Windows of at most `length` tokens, each `stride` tokens after the one before, as in Hugging Face's guide to the
/// perplexity of models with a fixed length; the last one ends where the text ends. Every token is counted at most
/// once, in the first window that has it; with stride < length all but the text's first `unpredicted` ones are, with
/// stride = length the first ones of every window are lost. Windows that count nothing are left out. (The guide
/// multiplies a window's mean loss by one token too few after the first window; here sums are meant to be added, which
/// is exact.)
std::vector<TokenWindow> cutIntoWindows(std::span<const std::int64_t> ids, const WindowCut &cut);

} // namespace headscope
