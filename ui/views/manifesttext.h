#pragma once

#include "core/results/manifest.h"

#include <string>
#include <vector>

namespace headscope {

/// Manifests as the JSON text that lies beside an export: one object, or a list of several. Null ones are left out;
/// empty text when nothing remains.
std::string manifestsText(const std::vector<const Manifest *> &manifests);

} // namespace headscope
