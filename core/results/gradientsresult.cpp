#include "core/results/gradientsresult.h"

#include <map>
#include <tuple>

namespace headscope {

std::vector<LayerKeyGradient> layerMeans(const AttentionGradientsResult &result)
{
    std::map<std::tuple<HeadKind, KeyClass, int>, std::pair<KeyGradient, double>> sums;
    for (const HeadKeyGradients &head : result.heads) {
        for (const KeyGradient &of : head.keys) {
            auto &[sum, count] = sums[{head.head.kind, of.keys, head.head.layer}];
            sum.attention += of.attention;
            sum.gradient += of.gradient;
            sum.product += of.product;
            ++count;
        }
    }
    std::vector<LayerKeyGradient> layers;
    for (const auto &[place, found] : sums) {
        const auto &[kind, keys, layer] = place;
        const auto &[sum, count] = found;
        layers.push_back({kind, layer, {keys, sum.attention / count, sum.gradient / count, 0, sum.product / count}});
    }
    return layers;
}

} // namespace headscope
