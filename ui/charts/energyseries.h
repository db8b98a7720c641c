#pragma once

#include "core/results/energyresult.h"
#include "ui/charts/lineseries.h"

namespace headscope {

/// Share of the energy of the heads' products over the share of dimensions (Cordonnier et al. 2020, Figure 1): a thin
/// line for every head by itself and for every attention's heads together, thicker ones for the means of both, of
/// queries, of keys, and of random numbers in the shapes of the product.
LineSeries makeEnergySeries(const EnergyResult &result);

} // namespace headscope
