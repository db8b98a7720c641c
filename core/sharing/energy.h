#pragma once

#include "core/sharing/headmaps.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

/// How many dimensions projections use (Cordonnier et al. 2020, section 2 and figure 1): of singular
/// values σ, energy(r) = Σ_{i ≤ r} σ_i² / Σ σ_i².
namespace headscope {

/// Energy of a matrix by its number of dimensions.
struct Spectrum
{
    std::vector<double> energy; ///< energy(1), energy(2), …, 1; zeros of a matrix of zeros
    double effectiveRank = 0;   ///< exp of the entropy of σ² by their sum (Roy and Vetterli 2007)
    double stableRank = 0;      ///< Σ σ² / σ_1²
};

/// `singularValues`: descending, float64.
Spectrum spectrumOf(const torch::Tensor &singularValues);
/// The least number of dimensions with such a share of the energy; 0: there is none at all.
std::int64_t dimensionsFor(const Spectrum &spectrum, double share);

/// Singular values of the matrices that a layer's scores are made with, descending. `centred`: every row of W (a
/// dimension of a head) has its mean taken out first, as in a principal component analysis.
struct ProjectionValues
{
    torch::Tensor query, key; ///< concatenated, [H·d, D]
    torch::Tensor product;    ///< Σ_h query_hᵀ key_h [D, D], where heads may cancel each other: figure 1's
    torch::Tensor queryUnfolding, keyUnfolding;                 ///< of the tensor T: [D, H·D] either way
    torch::Tensor headUnfolding;                                ///< [H, D·D]
    std::vector<torch::Tensor> headQuery, headKey, headProduct; ///< of every head by itself, at most d values
};
ProjectionValues projectionValues(const HeadMaps &maps, bool centred);

/// Maps of the same shape with independent normal entries: what no structure looks like. Equal seeds give equal numbers
/// with the same LibTorch.
HeadMaps randomMaps(std::int64_t heads, std::int64_t headWidth, std::int64_t width, std::uint64_t seed);

} // namespace headscope
