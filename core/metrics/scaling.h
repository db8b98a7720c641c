#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/pairtable.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Things on a plane.
struct PlaneMap
{
    std::vector<double> x, y;
    double stress = 0; ///< Kruskal's first: √(Σ (δ − d)² / Σ d²), d the distances on the plane
};

/// Metric multidimensional scaling of distances δ by SMACOF (de Leeuw and Mair 2009): the best of several starts, the
/// first from classical scaling and the others at random. Centred, turned to its principal axes, the thing with the
/// largest |x|
/// (|y|) on the positive side: equal distances and seed give equal maps. Throws Cancelled.
PlaneMap planeMap(const PairTable &distances, std::uint64_t seed, const JobControl &control = {});

} // namespace headscope
