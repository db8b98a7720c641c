#include "core/results/similarityresult.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

bool areWithin(const std::vector<std::int64_t> &places, std::size_t size)
{
    return std::ranges::all_of(
        places, [size](std::int64_t place) { return place >= 0 && place < static_cast<std::int64_t>(size); });
}

} // namespace

Behaviour behaviourOf(const HeadSurface &surface)
{
    constexpr double kNeighbour = 0.5;
    constexpr double kBroad = 0.78;
    constexpr double kToken = 0.6;
    Behaviour behaviour = Behaviour::None;
    const auto take = [&](bool holds, Behaviour one) { behaviour = holds ? one : behaviour; };
    take(surface.next > kNeighbour, Behaviour::Next); // of none nothing is greater
    take(surface.previous > kNeighbour, Behaviour::Previous);
    take(surface.normalizedEntropy > kBroad, Behaviour::Broad);
    take(surface.first > kToken, Behaviour::First);
    take(surface.delimiter > kToken, Behaviour::Delimiter);
    take(surface.punctuation > kToken, Behaviour::Punctuation);
    return behaviour;
}

PairTable distancesOf(const KindSimilarity &kind, HeadDistance distance)
{
    PairTable distances = kind.divergences;
    if (distance == HeadDistance::Root)
        std::ranges::transform(distances.values(), distances.values().begin(),
                               [](double value) { return std::sqrt(value); });
    return distances;
}

bool isDendrogram(std::size_t things, const std::vector<ClusterMerge> &merges, const std::vector<std::int64_t> &order)
{
    bool fits = order.size() == things && merges.size() == (things > 0 ? things - 1 : 0) && areWithin(order, things);
    for (std::size_t step = 0; fits && step < merges.size(); ++step)
        fits = areWithin({merges[step].first, merges[step].second}, things + step);
    return fits;
}

void checkSimilarity(const SimilarityResult &result)
{
    for (const KindSimilarity &kind : result.kinds) {
        const std::size_t heads = kind.heads.size();
        const bool fits = kind.divergences.values().size() == PairTable::pairs(heads) && kind.x.size() == heads
                       && kind.y.size() == heads && isDendrogram(heads, kind.merges, kind.order);
        if (!fits)
            throw Failure(
                badInput("the lists of " + std::string(headKindName(kind.kind)) + " heads do not fit together"));
    }
}

} // namespace headscope
