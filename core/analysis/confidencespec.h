#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/confidenceresult.h"
#include "core/task/runoptions.h"

#include <array>

namespace headscope {

/// The largest attention weights of heads (Voita et al. 2019, section 4), in their usual form; RolesSpec has choices.
struct ConfidenceSpec
{
    RunOptions run{};
    HeadUnit by = HeadUnit::Head; ///< whose queries a mean is over
};

template<typename Visitor>
void describe(Visitor &visit, ConfidenceSpec &spec)
{
    visit.choice("by", spec.by,
                 "Whose queries the mean is over: those of a head, or of all heads that share a key-value head");
}

// parts of the work
inline constexpr Phase kPhaseConfidence{"confidence"};

template<>
struct AnalysisOf<ConfidenceSpec>
{
    using Result = ConfidenceResult;
    static constexpr std::array kPhases{kPhaseConfidence};
    static constexpr AnalysisInfo kInfo{.name = "confidence",
                                        .summary
                                        = "Average each head's largest attention weight; `roles` has more options",
                                        .group = CommandGroup::Roles,
                                        .example = "confidence --model MODEL_DIR --source test.en --reference test.fr",
                                        .needsHeads = false,
                                        .needsReferences = false,
                                        .keepsWork = true};
    static ConfidenceResult compute(const ConfidenceSpec &spec, AnalysisInput &input, Manifest manifest,
                                    const JobControl &control, const Publish<ConfidenceResult> &publish);
};

} // namespace headscope
