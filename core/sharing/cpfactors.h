#pragma once

#include "core/base/jobcontrol.h"
#include "core/sharing/headmaps.h"

#include <torch/types.h>

#include <cstdint>

/// The tensor T of a layer's heads as a sum of R products (CANDECOMP/PARAFAC), T[q, h, k] ≈ Σ_r query[r, q] mixing[h,
/// r] key[r, k]: projections that all heads share, and how each mixes them (Cordonnier et al. 2020, section 3.2).
namespace headscope {

/// In float64. Rows of query and key have norm 1; columns of mixing come by their norms, the largest first.
struct CpFactors
{
    torch::Tensor query;  ///< [R, D]
    torch::Tensor mixing; ///< [H, R]
    torch::Tensor key;    ///< [R, D]
};

/// ‖T − T̂‖ / ‖T‖ (Frobenius), to 1e-8: it comes from products of factors, never from T itself.
double relativeError(const HeadMaps &maps, const CpFactors &factors);

/// The baseline without sharing: of the singular value decompositions of all heads the R largest triplets, each read by
/// its own head alone. Nothing with projections of its own for every head is nearer to T.
CpFactors truncatedHeads(const HeadMaps &maps, std::int64_t rank);

struct CpOptions
{
    std::int64_t rank = 1;         ///< R
    std::int64_t iterations = 200; ///< at most, of every start
    double tolerance = 1e-6;       ///< a start ends when an iteration takes less off the relative error
    double ridge = 1e-8;           ///< by the mean of the normal matrix's diagonal
    std::int64_t restarts = 1;     ///< starts from random factors, beside that from truncatedHeads()
    std::uint64_t seed = 12345;
    bool operator==(const CpOptions &) const = default;
};

struct CpDecomposition
{
    CpFactors factors;
    double error = 0;            ///< relative
    std::int64_t iterations = 0; ///< of the start that came nearest
    bool fromRandom = false;     ///< that was a random one
};

/// Alternating least squares (Kolda and Bader 2009, section 3.4) from several starts, of which the nearest is taken:
/// never farther from T than truncatedHeads(). With one head the optimum (Eckart and Young 1936).
CpDecomposition decompose(const HeadMaps &maps, const CpOptions &options, const JobControl &control);

} // namespace headscope
