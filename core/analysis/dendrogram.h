#pragma once

#include "core/base/pairtable.h"
#include "core/metrics/clustering.h"
#include "core/results/similarityresult.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Things clustered by their distances, as results keep it.
struct Dendrogram
{
    std::vector<ClusterMerge> merges;
    std::vector<std::int64_t> order; ///< places of the things, as the leaves
};

Dendrogram dendrogramOf(const PairTable &distances, const ClusterLinkage &linkage);

} // namespace headscope
