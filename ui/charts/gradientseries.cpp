#include "ui/charts/gradientseries.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

namespace headscope {
namespace {

struct GradientWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadMap)
};

/// What lines are of; all words are one.
constexpr std::array kLineNames{
    QT_TRANSLATE_NOOP("headscope::HeadMap", "first token"), QT_TRANSLATE_NOOP("headscope::HeadMap", "delimiters"),
    QT_TRANSLATE_NOOP("headscope::HeadMap", "punctuation"), QT_TRANSLATE_NOOP("headscope::HeadMap", "words")};

std::size_t lineOf(KeyClass keys)
{
    return std::min(static_cast<std::size_t>(keys), kLineNames.size() - 1);
}

struct Sum
{
    double value = 0;
    double weight = 0;
};

/// Sums of what layers say of classes, by line and layer.
using LineSums = std::map<std::size_t, std::map<int, Sum>>;

LineSeries seriesOf(const LineSums &sums, const QString &title)
{
    LineSeries series;
    std::set<int> known;
    for (const auto &[line, layers] : sums) {
        series.lines.push_back({GradientWords::tr(kLineNames[line]), static_cast<int>(line), {}});
        for (const auto &[layer, sum] : layers) {
            const double mean = sum.weight > 0 ? sum.value / sum.weight : 0;
            series.lines.back().points.push_back({static_cast<double>(layer), mean, mean, mean});
            known.insert(layer);
        }
    }
    if (series.empty())
        return series;
    series.zeroLine = true;
    fitScores(series);
    series.axes.xLow = -0.25;
    series.axes.xHigh = std::max(1, *known.rbegin()) + 0.25;
    for (const int layer : known)
        series.axes.xTicks.emplace_back(layer, QString::number(layer));
    series.axes.xTitle = GradientWords::tr("layer");
    series.axes.yTitle = title;
    return series;
}

template<typename Add>
LineSums sumsOf(const AttentionGradientsResult &result, HeadKind kind, Add &&add)
{
    std::map<KeyClass, KeyCount> counts;
    for (const KeyCount &count : result.counts) {
        if (count.kind == kind)
            counts[count.keys] = count;
    }
    LineSums sums;
    for (const LayerKeyGradient &layer : layerMeans(result)) {
        if (layer.kind == kind)
            add(sums[lineOf(layer.mean.keys)][layer.layer], layer.mean, counts[layer.mean.keys]);
    }
    return sums;
}

} // namespace

LineSeries makeLayerAttention(const AttentionGradientsResult &result, HeadKind kind)
{
    LineSums sums = sumsOf(result, kind, [](Sum &sum, const KeyGradient &mean, const KeyCount &count) {
        sum.value += mean.attention * static_cast<double>(count.queries);
    });
    std::map<int, double> tokens; // the weights of each sum to 1
    for (const auto &[line, layers] : sums) {
        for (const auto &[layer, sum] : layers)
            tokens[layer] += sum.value;
    }
    for (auto &[line, layers] : sums) {
        for (auto &[layer, sum] : layers)
            sum.weight = tokens.at(layer);
    }
    return seriesOf(sums, GradientWords::tr("share of attention"));
}

LineSeries makeLayerGradients(const AttentionGradientsResult &result, HeadKind kind)
{
    LineSums sums = sumsOf(result, kind, [](Sum &sum, const KeyGradient &mean, const KeyCount &count) {
        sum.value += mean.gradient * static_cast<double>(count.pairs);
        sum.weight += static_cast<double>(count.pairs);
    });
    return seriesOf(sums, GradientWords::tr("|∂loss / ∂weight|"));
}

} // namespace headscope
