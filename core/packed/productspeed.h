#pragma once

#include "core/model/spec.h"
#include "core/packed/linear.h"

#include <array>
#include <cstdint>

namespace headscope {

/// The cost of each kind of matrix product on this machine relative to exact ones; indexed by Products, Exact is 1.
using ProductCosts = std::array<double, kProductKinds>;
/// The cost of a kind that the machine cannot compute.
constexpr double kNeverWorthIt = 100;

/// Measured at first use with products of a model's own shapes (width × width, width × inner and back), which takes
/// some milliseconds, and remembered for this processor and library: in the program, and in the user's cache folder
/// ($XDG_CACHE_HOME/headscope, else ~/.cache/headscope) for those to come. Where that cannot be written it is measured
/// anew. Precondition: hasPackedProducts().
ProductCosts productCosts(std::int64_t width, std::int64_t inner);

/// Costs of products of the width of a model and its widest feed-forward sub-layer.
ProductCosts productCosts(const TransformerSpec &spec);

/// The measurement itself.
ProductCosts measureProductCosts(std::int64_t width, std::int64_t inner);

} // namespace headscope
