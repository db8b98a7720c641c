#pragma once

#include "core/analysis/ablationspec.h"
#include "core/analysis/headunits.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/task/task.h"

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace headscope {

/// The loss with a constant in the place of a unit's contexts: means per target token in nats, on the examples
/// that it was fitted to.
struct ConstantFit
{
    double meanLoss = 0; ///< with the mean context
    double loss = 0;     ///< with the constant: never more
};

struct OptimalConstants
{
    std::shared_ptr<const std::map<std::string, torch::Tensor>> contexts; ///< by place, [H, Dh]
    std::map<HeadRef, ConstantFit> fits;                                  ///< by the first head of every unit
    std::int64_t examples = 0;
};

/// Optimal ablation (Li and Janson 2024, "Optimal ablation for interpretability", equation 2): for every unit of heads
/// that `spec` tests, by itself, the constant context that minimises the mean loss of `fitted`'s examples without it.
/// Found by descent along the gradient (limited-memory quasi-Newton with a line search), from the mean context, on so
/// many examples as `spec` says, in a random order that its seed decides. What was found for a unit is kept with
/// `kept`, and taken from there. Throws Failure without references.
OptimalConstants optimalConstants(const Task &fitted, const AblationSpec &spec, const HeadUnits &units,
                                  const JobControl &control, const KeptWork &kept = {});

} // namespace headscope
