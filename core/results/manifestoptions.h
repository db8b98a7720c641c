#pragma once

#include "core/results/manifest.h"

#include <nlohmann/json.hpp>

namespace headscope {

/// The options of a manifest by their names, for all who want to know one. An empty object where they cannot be read.
nlohmann::json optionsOf(const Manifest &manifest);

} // namespace headscope
