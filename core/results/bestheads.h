#pragma once

#include "core/results/ablationresult.h"
#include "core/results/results.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The best single head of one attention layer.
struct BestHead
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    HeadRef head;           ///< the one with the best score on the set for choosing; of equal ones the first
    double chosenDelta = 0; ///< its delta there: too good, as it was chosen by it
    HeadAblation reported;  ///< it on the set for reporting; pAdjusted and discoveryP over the layers of this result
    std::vector<HeadAblation> row; ///< all heads of the layer on the set for reporting
};

/// Michel et al.'s Tables 2 and 3: all heads but one removed in a layer, layer by layer.
struct BestHeadsResult
{
    static constexpr const char *kKind = "best-heads";
    Manifest manifest; ///< of the set for reporting
    MetricValue baseline;
    std::string chosenOn; ///< name of the set for choosing
    MetricValue chosenBaseline;
    bool chosenOnReported = false; ///< both are the same set: the deltas are too optimistic
    std::vector<BestHead> layers;  ///< ordered by kind and layer
    std::int64_t examples = 0;
};

/// Chooses each layer's head by `choose`, and reports it by `report` (Michel et al. 2019, section 3.3). Layers that
/// only one of them has are left out. A layer of one head has a delta of 0: nothing is removed. Errors: a result that
/// is not of
/// --all-but-one, different models, metrics or replacements.
Result<BestHeadsResult> bestHeads(const AblationResult &choose, const AblationResult &report);

} // namespace headscope
