#pragma once

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/base/phase.h"
#include "core/base/phases.h"

#include <vector>

namespace headscope {

/// Every phase that there is, by which those that come as text are known again.
inline const std::vector<Phase> &allPhases()
{
    static const std::vector<Phase> all = [] {
        std::vector<Phase> found(kCommonPhases.begin(), kCommonPhases.end());
        forEachAnalysis([&]<typename Spec>(const Spec &) {
            if constexpr (requires { AnalysisOf<Spec>::kPhases; })
                found.insert(found.end(), AnalysisOf<Spec>::kPhases.begin(), AnalysisOf<Spec>::kPhases.end());
        });
        return found;
    }();
    return all;
}

} // namespace headscope
