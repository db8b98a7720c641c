#pragma once

#include "core/tokenize/pipeline/pattern.h"

#include <optional>
#include <string_view>

namespace headscope::pipeline {

/// nullopt: an expression beyond the few that Pattern knows.
std::optional<Pattern::Scanner> regexScanner(std::string_view expression);

} // namespace headscope::pipeline
