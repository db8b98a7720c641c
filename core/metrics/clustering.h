#pragma once

#include "core/base/pairtable.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace headscope {

/// Two clusters that become one. 0 … n − 1 are single things, n + i is what step i makes; first < second.
struct ClusterStep
{
    std::size_t first = 0, second = 0;
    double height = 0;
};

/// The distance of the union of clusters a and b from another: of theirs, and their sizes.
using ClusterLinkage = std::function<double(double a, double b, std::size_t sizeOfA, std::size_t sizeOfB)>;
double averageLinkage(double a, double b, std::size_t sizeOfA, std::size_t sizeOfB);
double completeLinkage(double a, double b, std::size_t, std::size_t);
double singleLinkage(double a, double b, std::size_t, std::size_t);

/// Agglomerative clustering: the two nearest clusters become one until there is one; the first of equals. n − 1 steps.
std::vector<ClusterStep> clusterSteps(const PairTable &distances, const ClusterLinkage &linkage);

/// The things as leaves of the dendrogram, from left to right. Where two branches join, they are turned so that the
/// ends that meet are the nearest: neighbours are alike.
std::vector<std::size_t> leafOrder(const PairTable &distances, const std::vector<ClusterStep> &steps);

} // namespace headscope
