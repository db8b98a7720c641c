#pragma once

#include "core/results/collaborateresult.h"
#include "core/results/energyresult.h"
#include "tests/support/madeupstudy.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::madeup {

/// Sharing that beats single heads, the more the fewer columns; the full model first. With `prune`: as many heads
/// removed as well, which is better done before sharing.
inline std::shared_ptr<const CollaborateResult> sharing(const std::vector<std::int64_t> &widths = {85, 170, 256, 384},
                                                        bool mixing = false,
                                                        const std::vector<std::int64_t> &prune = {})
{
    constexpr std::int64_t kWhole = 9'400'000, kColumn = 6'144, kHead = 20'000; // parameters

    auto result = std::make_shared<CollaborateResult>();
    result->manifest = manifest("collaborate", false);
    result->manifest.spec = "{\"ranks\":" + std::to_string(widths.front()) + "}";
    result->metric = "BLEU";
    result->otherData = "test_2017_mscoco";
    result->examples = 1000;
    result->length = 16;
    SharedPoint whole;
    whole.score = 56.92;
    whole.otherScore = 39.84;
    whole.compression = 1;
    whole.parameters = kWhole;
    whole.scoreParameters = 4'718'592;
    whole.multiplyAdds = 78e6;
    result->points.push_back(whole);
    const auto add = [&](SharedPoint point, SharingOrder order, std::int64_t pruned, double loss) {
        point.order = order;
        point.pruned = pruned;
        point.parameters -= kHead * pruned;
        point.score -= loss;
        point.delta -= loss;
        point.interval = Interval{point.score - 0.7, point.score + 0.7};
        *point.otherScore -= 0.8 * loss;
        result->points.push_back(std::move(point));
    };
    for (const std::int64_t heads : prune)
        add(whole, SharingOrder::PruneOnly, heads, 0.02 * static_cast<double>(heads * heads) / 10);
    for (const SharingMethod method : {SharingMethod::Cp, SharingMethod::Svd}) {
        if (mixing && method == SharingMethod::Svd)
            continue;
        for (const std::int64_t width : widths) {
            SharedPoint point;
            point.width = width;
            point.method = method;
            const double loss
                = (method == SharingMethod::Cp ? 22 : 34) * std::pow(1 - static_cast<double>(width) / 512, 2);
            point.score = 56.92 - loss;
            point.delta = -loss;
            point.interval = Interval{point.score - 0.7, point.score + 0.7};
            point.otherScore = 39.84 - 0.8 * loss;
            point.parameters = kWhole - kColumn * (512 - width);
            point.scoreParameters = 4'718'592 * width / 512;
            point.multiplyAdds = 160e6 * static_cast<double>(width) / 512;
            point.compression = 512.0 / static_cast<double>(width);
            point.logitError = 0.4 * (1 - static_cast<double>(width) / 512);
            const HeadLayout shape = layout();
            for (const HeadLayout::Block &block : shape.blocks()) {
                for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
                    SharedLayer shared;
                    shared.kind = block.kind;
                    shared.layer = layer;
                    shared.seconds = 0.25;
                    if (mixing) {
                        for (int head = 0; head < 8; ++head) {
                            shared.heads.push_back({block.kind, layer, head});
                            for (std::int64_t column = 0; column < width; ++column)
                                shared.mixing.push_back(noise({block.kind, layer, head}, static_cast<int>(column))
                                                        * (column % 8 == head ? 1 : 0.4));
                        }
                    }
                    point.layers.push_back(std::move(shared));
                }
            }
            result->points.push_back(point);
            for (const std::int64_t heads : prune) {
                add(point, SharingOrder::ShareFirst, heads, 0.1 * static_cast<double>(heads));
                add(point, SharingOrder::PruneFirst, heads, 0.07 * static_cast<double>(heads));
            }
        }
    }
    return result;
}

inline std::shared_ptr<const EnergyResult> energy()
{
    auto result = std::make_shared<EnergyResult>();
    result->manifest = manifest("energy", false);
    result->share90 = 0.31;
    result->share95 = 0.4;
    result->share99 = 0.58;
    result->random99 = 0.93;
    const auto curve = [](EnergyMatrix matrix, double decay) {
        EnergyCurve one;
        one.matrix = matrix;
        for (int k = 1; k <= 512; ++k)
            one.energy.push_back(k == 512 ? 1 : (1 - std::exp(-decay * k / 512.0)) / (1 - std::exp(-decay)));
        return one;
    };
    for (int layer = 0; layer < 4; ++layer) {
        LayerEnergy one;
        one.layer = layer;
        one.dimensions = 512;
        one.curves = {curve(EnergyMatrix::Query, 3), curve(EnergyMatrix::Key, 3.5), curve(EnergyMatrix::Product, 6)};
        one.random = {curve(EnergyMatrix::Query, 1), curve(EnergyMatrix::Key, 1), curve(EnergyMatrix::Product, 1.8)};
        result->layers.push_back(std::move(one));
    }
    return result;
}

} // namespace headscope::madeup
