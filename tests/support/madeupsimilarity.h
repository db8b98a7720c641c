#pragma once

#include "core/metrics/clustering.h"
#include "core/results/similarityresult.h"
#include "tests/support/madeupstudy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

namespace headscope::madeup {

/// Heads that lie about their layer's middle, the nearer the deeper the layer.
inline std::shared_ptr<const SimilarityResult> similarity(bool out)
{
    auto result = std::make_shared<SimilarityResult>();
    result->manifest = manifest("similarity", out);
    result->examples = result->manifest.totalExamples;
    const HeadLayout layout = madeup::layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        KindSimilarity kind;
        kind.kind = block.kind;
        kind.queries = 12'345;
        kind.meanLogKeys = 2.6;
        kind.stress = 0.187;
        for (const HeadRef &head : layout.heads()) {
            if (head.kind != block.kind)
                continue;
            kind.heads.push_back(head);
            const double width = 0.3 - 0.03 * head.layer;
            kind.x.push_back(0.35 * std::cos(head.layer * 1.1) + width * (noise(head, 1) - 0.5));
            kind.y.push_back(0.25 * std::sin(head.layer * 1.1) + width * (noise(head, 2) - 0.5));
        }
        kind.divergences = PairTable(kind.heads.size());
        for (std::size_t a = 0; a < kind.heads.size(); ++a) {
            for (std::size_t b = a + 1; b < kind.heads.size(); ++b)
                kind.divergences.at(a, b) = std::pow(kind.x[a] - kind.x[b], 2) + std::pow(kind.y[a] - kind.y[b], 2);
        }
        const PairTable distances = distancesOf(kind, result->distance);
        const auto steps = clusterSteps(distances, averageLinkage);
        for (const ClusterStep &step : steps)
            kind.merges.push_back(
                {static_cast<std::int64_t>(step.first), static_cast<std::int64_t>(step.second), step.height});
        for (const std::size_t leaf : leafOrder(distances, steps))
            kind.order.push_back(static_cast<std::int64_t>(leaf));
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            const double spread = 0.3 - 0.03 * static_cast<double>(layer) + 0.02 * static_cast<double>(block.kind);
            result->layers.push_back({block.kind,
                                      static_cast<int>(layer),
                                      std::ssize(block.layers[layer]),
                                      spread,
                                      {spread - 0.01, spread + 0.012}});
        }
        result->kinds.push_back(std::move(kind));
    }
    for (const HeadRef &head : layout.heads()) {
        HeadSurface surface;
        surface.head = head;
        surface.previous = noise(head, 3);
        surface.delimiter = 1 - noise(head, 3);
        surface.entropy = 2.6 * noise(head, 4);
        surface.normalizedEntropy = noise(head, 4);
        surface.queries = 12'345;
        surface.behaviour = behaviourOf(surface);
        result->heads.push_back(surface);
    }
    return result;
}

} // namespace headscope::madeup
