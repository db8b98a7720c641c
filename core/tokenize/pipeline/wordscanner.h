#pragma once

#include <cstddef>
#include <string_view>

namespace headscope::pipeline {

/// The expression by which GPT-2 and RoBERTa split a text.
inline constexpr std::string_view kWordExpression
    = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Bytes that it matches at `at`: always some. Precondition: at < text.size().
std::size_t scanWord(std::string_view text, std::size_t at);

} // namespace headscope::pipeline
