#include "core/task/runner.h"

#include "core/task/task.h"

#include <torch/types.h>

#include <utility>

namespace headscope {

void Runner::lossPasses(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                        const Recorder &wanted, std::int64_t, const VisitLossPass &visit) const
{
    Recorder recorder = wanted;
    const LossBatch batch = loss(task, ids, gates, &recorder);
    visit({batch.loss.sum(), batch.targetTokens, ids, {}, std::move(recorder)});
}

} // namespace headscope
