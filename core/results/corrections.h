#pragma once

#include "core/results/manifest.h"

#include <string_view>

namespace headscope {

struct Manifest;

/// How many corrections of the program's own errors concern the numbers of an analysis of this kind of model
/// (`task`: "language-modelling", …). A result with fewer (Manifest::corrections) was written by a version that
/// computed them wrongly: it has another key, and is outdated.
int correctionsOf(const Manifest &result, std::string_view task);

} // namespace headscope
