#include "ui/pages/roles/rolescatterseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headscope {

namespace {

constexpr double kLayerFill = 0.86; ///< of a layer's width that its heads take

using Head = RoleScatterSeries::Head;

struct RoleScatterSeriesWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RoleScatter)
};

std::vector<Head> headsOf(const RoleScatterInput &input)
{
    std::vector<Head> heads;
    for (const HeadRef &head : input.layout.heads())
        heads.push_back({.head = head});
    const auto find = [&](const HeadRef &head) -> Head * {
        const auto index = input.layout.indexOf(head);
        return index < 0 ? nullptr : &heads[static_cast<std::size_t>(index)];
    };
    if (input.roles) {
        for (const HeadRoleScores &scores : input.roles->heads) {
            if (Head *head = find(scores.head))
                head->confidence = scores.confidence;
        }
    } else if (input.confidence) {
        for (const HeadConfidence &scores : input.confidence->heads) {
            if (Head *head = find(scores.head))
                head->confidence = scores.confidence;
        }
    }
    if (input.assigned) {
        for (const HeadRoles &roles : *input.assigned) {
            if (Head *head = find(roles.head))
                head->roles = roles.supported();
        }
    }
    if (input.relevance) {
        for (const HeadRelevance &scores : input.relevance->heads) {
            if (Head *head = find(scores.head)) {
                head->relevance = scores.relevance;
                head->relevanceError = scores.standardError;
                head->relevanceHalf = relevanceHalf(scores.standardError, input.relevance->examples);
            }
        }
    }
    return heads;
}

struct Extent
{
    double low = 0;
    double high = 0;
};

/// Round ends around the values of all panels, so that these can be compared; 0 is among them.
Extent rangeOf(const std::vector<Head> &heads, std::optional<double> Head::*value)
{
    Extent range;
    for (const Head &head : heads) {
        const auto &at = head.*value;
        if (!at || !std::isfinite(*at))
            continue;
        const double half = value == &Head::relevance ? head.relevanceHalf : 0;
        range.low = std::min(range.low, *at - half);
        range.high = std::max(range.high, *at + half);
    }
    if (range.low == range.high)
        range.high = 1;
    const double step = roundStep(range.high - range.low, 5);
    range.high = std::ceil((range.high + 0.02 * (range.high - range.low)) / step) * step;
    range.low = std::floor(range.low / step + 1e-9) * step;
    return range;
}

QString valueTitle(std::optional<double> Head::*value)
{
    return value == &Head::relevance ? RoleScatterSeriesWords::tr("relevance")
                                     : RoleScatterSeriesWords::tr("confidence");
}

/// By relevance, or confidence where that is not known; heads without a value last.
double sortValue(const Head &head, bool byRelevance)
{
    return (byRelevance ? head.relevance : head.confidence).value_or(-std::numeric_limits<double>::infinity());
}

/// Their places in the series, the largest first.
std::vector<std::size_t> headsOfLayer(const RoleScatterSeries &series, HeadKind kind, int layer, bool byRelevance)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < series.heads.size(); ++i) {
        if (series.heads[i].head.kind == kind && series.heads[i].head.layer == layer)
            order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return sortValue(series.heads[i], byRelevance); });
    return order;
}

RoleScatterSeries::Panel layerPanel(const RoleScatterSeries &series, const HeadLayout::Block &block,
                                    std::optional<double> Head::*value, const Extent &range, bool byRelevance)
{
    RoleScatterSeries::Panel panel;
    panel.kind = block.kind;
    const auto layers = static_cast<int>(block.layers.size());
    panel.axes.xLow = -0.5;
    panel.axes.xHigh = layers - 0.5;
    panel.axes.yLow = range.low;
    panel.axes.yHigh = range.high;
    panel.axes.yTicks = axisTicks(range.low, range.high, 6);
    panel.axes.xTitle = RoleScatterSeriesWords::tr("layer; heads by relevance");
    if (!byRelevance)
        panel.axes.xTitle = RoleScatterSeriesWords::tr("layer; heads by confidence");
    panel.axes.yTitle = valueTitle(value);
    const int every = layers > 16 ? 4 : layers > 8 ? 2 : 1;
    std::size_t most = 1;
    for (int layer = 0; layer < layers; ++layer) {
        if (layer % every == 0)
            panel.axes.xTicks.emplace_back(layer, QString::number(layer));
        if (layer % 2 == 1)
            panel.bands.push_back(layer - 0.5);
        most = std::max(most, block.layers[static_cast<std::size_t>(layer)].size());
    }
    panel.slot = kLayerFill / static_cast<double>(most);
    for (int layer = 0; layer < layers; ++layer) {
        const std::vector<std::size_t> order = headsOfLayer(series, block.kind, layer, byRelevance);
        const double first = layer - panel.slot * (static_cast<double>(order.size()) - 1) / 2;
        for (std::size_t place = 0; place < order.size(); ++place) {
            const Head &head = series.heads[order[place]];
            const auto &y = head.*value;
            if (!y || !std::isfinite(*y))
                continue;
            const double half = value == &Head::relevance ? head.relevanceHalf : 0;
            panel.points.push_back(
                {order[place], first + panel.slot * static_cast<double>(place), *y, *y - half, *y + half});
        }
    }
    return panel;
}

RoleScatterSeries::Panel scatterPanel(const RoleScatterSeries &series, HeadKind kind, const Extent &relevance,
                                      const Extent &confidence)
{
    RoleScatterSeries::Panel panel;
    panel.kind = kind;
    panel.axes.xLow = relevance.low;
    panel.axes.xHigh = relevance.high;
    panel.axes.xTicks = axisTicks(relevance.low, relevance.high, 6);
    panel.axes.xTitle = valueTitle(&Head::relevance);
    panel.axes.yLow = confidence.low;
    panel.axes.yHigh = confidence.high;
    panel.axes.yTicks = axisTicks(confidence.low, confidence.high, 6);
    panel.axes.yTitle = valueTitle(&Head::confidence);
    for (std::size_t i = 0; i < series.heads.size(); ++i) {
        const Head &head = series.heads[i];
        if (head.head.kind == kind && head.relevance && head.confidence && std::isfinite(*head.relevance)
            && std::isfinite(*head.confidence))
            panel.points.push_back({i, *head.relevance, *head.confidence, *head.confidence, *head.confidence});
    }
    return panel;
}

} // namespace

RoleScatterSeries makeRoleScatter(const RoleScatterInput &input, RoleScatterForm form)
{
    RoleScatterSeries series;
    series.heads = headsOf(input);
    const auto known = [&](std::optional<double> Head::*value) {
        return std::ranges::any_of(series.heads, [&](const Head &head) { return (head.*value).has_value(); });
    };
    const bool relevance = known(&Head::relevance);
    const bool confidence = known(&Head::confidence);
    const Extent relevances = rangeOf(series.heads, &Head::relevance);
    const Extent confidences = rangeOf(series.heads, &Head::confidence);
    series.columns = static_cast<int>(input.layout.blocks().size());
    if (form == RoleScatterForm::Scatter && relevance && confidence) {
        for (const HeadLayout::Block &block : input.layout.blocks())
            series.panels.push_back(scatterPanel(series, block.kind, relevances, confidences));
        return series;
    }
    const auto row = [&](std::optional<double> Head::*value, const Extent &range) {
        for (const HeadLayout::Block &block : input.layout.blocks())
            series.panels.push_back(layerPanel(series, block, value, range, relevance));
    };
    if (relevance)
        row(&Head::relevance, relevances);
    if (confidence)
        row(&Head::confidence, confidences);
    return series;
}

QString roleScatterText(const RoleScatterSeries::Head &head)
{
    QString text = QString::fromStdString(toText(head.head)) + QStringLiteral(": ");
    text += head.roles.empty() ? RoleScatterSeriesWords::tr("no role") : rolesText(head.roles);
    if (head.relevance)
        text += QStringLiteral(", ") + relevanceText(*head.relevance, head.relevanceHalf);
    if (head.confidence)
        text += RoleScatterSeriesWords::tr(", confidence %1").arg(numberText(*head.confidence, 3));
    return text;
}

} // namespace headscope
