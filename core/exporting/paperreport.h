#pragma once

#include "core/exporting/reportfindings.h"
#include "core/exporting/reporttables.h"

#include <vector>

namespace headscope {

/// A report's part on what was computed beside Michel et al.'s and Voita et al.'s tables: what heads attend to and
/// how alike they are (Clark et al. 2019, Figures 2, 4 and 6), the gradient of the loss by attention (Figure 3), where
/// dependents lie and which heads find them (Voita et al. 2019, Figures 3 and 4), what source and prefix contribute
/// (Voita et al. 2021).
std::vector<ReportTable> paperTables(const ReportDomain &domain);
std::vector<Finding> paperFindings(const ReportDomain &domain);

/// The energy of projections (Cordonnier et al. 2020, Figure 1), which no data set has part in.
ReportTable energyTable(const EnergyResult &energy);
Finding energyFinding(const EnergyResult &energy);
/// When heads become redundant (Michel et al. 2019, Figure 5).
Finding trainingFinding(const DynamicsResult &dynamics);

} // namespace headscope
