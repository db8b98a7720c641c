#include "core/analysis/dendrogram.h"

#include <cstddef>

namespace headscope {

Dendrogram dendrogramOf(const PairTable &distances, const ClusterLinkage &linkage)
{
    Dendrogram dendrogram;
    const std::vector<ClusterStep> steps = clusterSteps(distances, linkage);
    for (const ClusterStep &step : steps)
        dendrogram.merges.push_back(
            {static_cast<std::int64_t>(step.first), static_cast<std::int64_t>(step.second), step.height});
    for (const std::size_t leaf : leafOrder(distances, steps))
        dendrogram.order.push_back(static_cast<std::int64_t>(leaf));
    return dendrogram;
}

} // namespace headscope
