#pragma once

#include "core/metrics/correlation.h"
#include "core/results/ablationresult.h"
#include "core/results/compareresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/results.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Made-up results of a 4-layer, 8-head translation model, for tests of views: the shapes and sizes are those of
/// the real ones, the numbers come from a fixed formula.
namespace headscope::madeup {

inline HeadLayout layout(int layers = 4, int heads = 8)
{
    std::vector<HeadLayout::Block> blocks;
    for (HeadKind kind : kAllHeadKinds) {
        HeadLayout::Block block{kind, {}};
        for (int layer = 0; layer < layers; ++layer) {
            block.layers.emplace_back();
            for (int head = 0; head < heads; ++head)
                block.layers.back().push_back(head);
        }
        blocks.push_back(std::move(block));
    }
    return HeadLayout(std::move(blocks));
}

/// Uniform in [0, 1), always the same for the same arguments.
inline double noise(const HeadRef &head, int salt)
{
    const double x = std::sin(12.9898 * (head.head + 1) + 78.233 * (head.layer + 1)
                              + 37.719 * (static_cast<int>(head.kind) + 1) + 11.13 * salt)
                   * 43758.5453;
    return x - std::floor(x);
}

/// Mostly small losses, a few large ones, as real sweeps have; out-of-domain correlated with in-domain.
inline double delta(const HeadRef &head, bool out)
{
    const double u = noise(head, 1);
    const double in = -2.4 * std::pow(u, 7) + 0.24 * (noise(head, 2) - 0.45);
    return out ? 0.8 * in + 0.35 * (noise(head, 3) - 0.5) : in;
}

inline Manifest manifest(const char *analysis, bool out)
{
    Manifest manifest;
    manifest.analysis = analysis;
    manifest.data = out ? "test_2017_mscoco" : "test_2016_flickr";
    manifest.examples = out ? 461 : 1000;
    manifest.totalExamples = manifest.examples;
    manifest.weightsHash = "0123456789abcdef";
    manifest.dataHash = out ? "out" : "in";
    manifest.spec = std::string("{\"analysis\":\"") + analysis + "\"}";
    return manifest;
}

inline std::shared_ptr<const AblationResult> ablation(bool out)
{
    auto result = std::make_shared<AblationResult>();
    result->manifest = manifest("ablate", out);
    result->baseline = {"BLEU", out ? 39.84 : 56.92, Interval{out ? 39.1 : 56.2, out ? 40.6 : 57.6}, ""};
    result->examples = result->manifest.examples;
    result->resamples = 1000;
    const HeadLayout shape = layout();
    for (const HeadRef &head : shape.heads()) {
        HeadAblation row;
        row.head = head;
        row.delta = delta(head, out);
        row.score = result->baseline.value + row.delta;
        const double half = 0.12 + 0.1 * noise(head, 4);
        row.interval = {row.delta - half, row.delta + half};
        row.p = std::clamp(std::exp(-std::pow(row.delta / half * 1.96, 2) / 2), 0.0005, 1.0);
        row.pAdjusted = std::min(1.0, row.p * 40);
        row.changed = static_cast<std::int64_t>(200 * noise(head, 5));
        result->heads.push_back(row);
    }
    return result;
}

inline std::shared_ptr<const ImportanceResult> importance(bool out)
{
    auto result = std::make_shared<ImportanceResult>();
    result->manifest = manifest("importance", out);
    result->examples = result->manifest.examples;
    result->meanLoss = 1.2;
    const HeadLayout shape = layout();
    for (const HeadRef &head : shape.heads())
        result->heads.push_back({head, 0.05 + 0.9 * noise(head, 1) * noise(head, 6 + out), 0.01});
    return result;
}

inline std::shared_ptr<const ConfidenceResult> confidence(bool out)
{
    auto result = std::make_shared<ConfidenceResult>();
    result->manifest = manifest("confidence", out);
    result->examples = result->manifest.examples;
    const HeadLayout shape = layout();
    for (const HeadRef &head : shape.heads())
        result->heads.push_back({head, 0.2 + 0.75 * noise(head, 9), 14000});
    return result;
}

/// A curve in steps of 10 %, or a random band.
inline std::shared_ptr<const PruningResult> pruning(const char *order, bool out, std::int64_t randomOrders = 0)
{
    auto result = std::make_shared<PruningResult>();
    result->manifest = manifest("prune", out);
    result->manifest.spec = std::string("{\"order\":\"") + order + "\"}";
    result->metric = "BLEU";
    result->examples = result->manifest.examples;
    std::vector<HeadRef> heads = layout().heads();
    std::sort(heads.begin(), heads.end(),
              [](const HeadRef &a, const HeadRef &b) { return delta(a, false) > delta(b, false); });
    PruningCurve curve;
    curve.order = order;
    curve.randomOrders = randomOrders;
    const double whole = out ? 39.84 : 56.92;
    const double knee = randomOrders ? 0.25 : order[0] == 'a' ? 0.5 : 0.58;
    for (int step = 0; step <= 10; ++step) {
        PruningPoint point;
        point.pruned = std::lround(heads.size() * step / 10.0);
        point.fraction = double(point.pruned) / double(heads.size());
        const double drop = 1 / (1 + std::exp(-11 * (point.fraction - knee))) - 1 / (1 + std::exp(11 * knee));
        point.score = std::max(whole * (1 - 1.02 * drop) - 0.3 * point.fraction, 0.1);
        const double half = (randomOrders ? 7 * std::sin(3.0 * point.fraction) : 0.0) + 0.75;
        point.interval = {std::max(point.score - half, 0.0), point.score + half};
        if (randomOrders == 0)
            point.mask = HeadMask(std::vector<HeadRef>(heads.begin(), heads.begin() + point.pruned));
        if (randomOrders == 0) {
            const double delta = step == 0 ? 0 : point.score - curve.points.front().score;
            const double width = step == 0 ? 0 : 0.3;
            point.paired = PairedTest{{delta - width, delta + width}, delta + width < 0 ? 0.001 : 0.4, step * 50};
        }
        curve.points.push_back(std::move(point));
    }
    result->curves.push_back(std::move(curve));
    return result;
}

inline CompareResult comparison()
{
    CompareResult result;
    result.measure = "Ablation Δ BLEU";
    std::vector<double> a;
    std::vector<double> b;
    const HeadLayout shape = layout();
    for (const HeadRef &head : shape.heads()) {
        a.push_back(delta(head, false));
        b.push_back(delta(head, true));
        result.heads.push_back({head, a.back(), b.back(), b.back() - a.back()});
    }
    result.pearson = pearsonCorrelation(a, b);
    result.spearman = spearmanCorrelation(a, b);
    return result;
}

} // namespace headscope::madeup
