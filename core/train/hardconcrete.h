#pragma once

#include "core/train/concreteshape.h"

#include <torch/types.h>

/// The Hard Concrete distribution (Louizos, Welling and Kingma 2018; Voita et al. 2019, section 6.1) of a gate with the
/// parameter φ = log α: a binary concrete variable of temperature β, stretched to (γ, ζ) and cut to [0, 1]. All
/// functions are taken element by element.
namespace headscope {

/// The gate by uniform noise u in (0, 1). Gradients flow into φ.
torch::Tensor concreteGate(const torch::Tensor &phi, const torch::Tensor &uniform);
/// The gate without noise, as the paper's code tests with: not always 0 or 1.
torch::Tensor concreteTestGate(const torch::Tensor &phi);
torch::Tensor concreteClosed(const torch::Tensor &phi); ///< P(gate = 0)
torch::Tensor concreteWhole(const torch::Tensor &phi);  ///< P(gate = 1)
torch::Tensor concreteOpen(const torch::Tensor &phi);   ///< P(gate ≠ 0): the expected L0 norm

} // namespace headscope
