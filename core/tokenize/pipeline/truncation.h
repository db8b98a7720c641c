#pragma once

#include <cstddef>
#include <utility>

namespace headscope::pipeline {

/// How many pieces of a first and a second text are left when together they may have `most`: "longest_first" by the
/// closed formula of the fast tokenizers, which differs from taking one piece after the other where both are equally
/// long.
std::pair<std::size_t, std::size_t> truncatedLengths(std::size_t first, std::size_t second, std::size_t most);

} // namespace headscope::pipeline
