#pragma once

#include "core/formats/tensorentry.h"

#include <torch/types.h>

#include <optional>

namespace headscope {

/// LibTorch's name of an element type; nullopt where it has none.
std::optional<torch::ScalarType> scalarType(DType dtype);
std::optional<DType> fileDtype(torch::ScalarType type);

} // namespace headscope
