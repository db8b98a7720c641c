#include "core/metrics/clustering.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace headscope {

double averageLinkage(double a, double b, std::size_t sizeOfA, std::size_t sizeOfB)
{
    const auto weightOfA = static_cast<double>(sizeOfA);
    const auto weightOfB = static_cast<double>(sizeOfB);
    return (weightOfA * a + weightOfB * b) / (weightOfA + weightOfB);
}

double completeLinkage(double a, double b, std::size_t, std::size_t)
{
    return std::max(a, b);
}

double singleLinkage(double a, double b, std::size_t, std::size_t)
{
    return std::min(a, b);
}

namespace {

struct Cluster
{
    std::size_t number;
    std::size_t size;
    std::size_t row; ///< of the distances
};

/// The places of the two clusters that lie nearest, the earlier first.
struct NearestPair
{
    std::size_t first = 0;
    std::size_t second = 1;
    double distance = std::numeric_limits<double>::infinity();
};

NearestPair nearestPair(const std::vector<Cluster> &clusters, const PairTable &apart)
{
    NearestPair nearest;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
        for (std::size_t b = a + 1; b < clusters.size(); ++b) {
            if (const double distance = apart.at(clusters[a].row, clusters[b].row); distance < nearest.distance)
                nearest = {a, b, distance};
        }
    }
    return nearest;
}

} // namespace

std::vector<ClusterStep> clusterSteps(const PairTable &distances, const ClusterLinkage &linkage)
{
    const std::size_t things = distances.size();
    PairTable apart = distances;
    std::vector<Cluster> clusters;
    for (std::size_t i = 0; i < things; ++i)
        clusters.push_back({i, 1, i});
    std::vector<ClusterStep> steps;
    while (clusters.size() > 1) {
        const auto [first, second, least] = nearestPair(clusters, apart);
        Cluster &kept = clusters[first];
        const Cluster gone = clusters[second];
        for (const Cluster &other : clusters) {
            if (other.row != kept.row && other.row != gone.row)
                apart.at(kept.row, other.row)
                    = linkage(apart.at(kept.row, other.row), apart.at(gone.row, other.row), kept.size, gone.size);
        }
        steps.push_back({std::min(kept.number, gone.number), std::max(kept.number, gone.number), least});
        kept.number = things + steps.size() - 1;
        kept.size += gone.size;
        clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(second));
    }
    return steps;
}

std::vector<std::size_t> leafOrder(const PairTable &distances, const std::vector<ClusterStep> &steps)
{
    const std::size_t things = distances.size();
    std::vector<std::vector<std::size_t>> leaves(things + steps.size());
    for (std::size_t i = 0; i < things; ++i)
        leaves[i] = {i};
    for (std::size_t step = 0; step < steps.size(); ++step) {
        std::vector<std::size_t> left = std::move(leaves[steps[step].first]);
        std::vector<std::size_t> right = std::move(leaves[steps[step].second]);
        // Whole branches are turned, so that the two ends that meet are the nearest of the four.
        const std::array<double, 4> meetings{
            distances.at(left.back(), right.front()), distances.at(left.back(), right.back()),
            distances.at(left.front(), right.front()), distances.at(left.front(), right.back())};
        const auto best = std::ranges::min_element(meetings) - meetings.begin();
        if (best >= 2)
            std::ranges::reverse(left);
        if (best % 2 == 1)
            std::ranges::reverse(right);
        left.insert(left.end(), right.begin(), right.end());
        leaves[things + step] = std::move(left);
    }
    return leaves.empty() ? std::vector<std::size_t>() : leaves.back();
}

} // namespace headscope
