#pragma once

#include "core/results/json.h"

namespace headscope::cli {

/// What this program runs with here: version, LibTorch, BLAS, threads, processor, devices, warnings.
Json environmentJson();

} // namespace headscope::cli
