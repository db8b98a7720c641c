#pragma once

#include "core/results/json.h"

namespace headscope::cli {

/// The environment of this program: version, LibTorch, BLAS, threads, processor, devices, warnings.
Json environmentJson();

} // namespace headscope::cli
