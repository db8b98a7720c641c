#include "core/results/interactionsresult.h"

#include "core/metrics/inference.h"

#include <algorithm>
#include <iterator>

namespace headscope {

void checkInteractions(const InteractionsResult &result)
{
    const InteractionClusters &clusters = result.clusters;
    if (clusters.heads.empty() && clusters.merges.empty() && clusters.order.empty())
        return;
    const auto isThere = [&](const HeadRef &head) { return std::ranges::binary_search(clusters.heads, head); };
    const auto isClustered = [&](const HeadInteraction &pair) {
        return pair.head != pair.other && isThere(pair.head) && isThere(pair.other);
    };
    const bool fits = std::ranges::is_sorted(clusters.heads)
                   && isDendrogram(clusters.heads.size(), clusters.merges, clusters.order)
                   && std::ranges::all_of(result.pairs, isClustered);
    if (!fits)
        throw Failure(badInput("the clusters of heads do not fit the pairs"));
}

void withholdVerdict(InteractionsResult &result)
{
    // Pairs that were chosen for their likely interactions are no sample of all pairs.
    if (std::ssize(result.pairs) < result.possible || !allowsVerdict(result.examples))
        result.mean.single = SingleAblation::Withheld;
}

} // namespace headscope
