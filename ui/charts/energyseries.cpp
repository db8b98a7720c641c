#include "ui/charts/energyseries.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr double kShares[] = {0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

struct EnergyWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Energy)
};

/// With this share of the dimensions, between two of which it is a straight line.
double energyAt(const EnergyCurve &curve, double share, std::int64_t dimensions)
{
    const double place = share * static_cast<double>(dimensions);
    const auto at = [&](std::int64_t count) {
        if (count <= 0)
            return 0.0;
        return count >= std::ssize(curve.energy) ? 1.0 : curve.energy[static_cast<std::size_t>(count - 1)];
    };
    const auto below = static_cast<std::int64_t>(std::floor(place));
    const double beyond = place - static_cast<double>(below);
    return (1 - beyond) * at(below) + beyond * at(below + 1);
}

std::vector<double> sampled(const EnergyCurve &curve, std::int64_t dimensions)
{
    std::vector<double> energies;
    for (const double share : kShares)
        energies.push_back(100 * energyAt(curve, share, dimensions));
    return energies;
}

LineSeries::Line lineOf(const QString &name, int style, const std::vector<double> &energies, LineSeries::Look look)
{
    LineSeries::Line line{.name = name, .style = style, .points = {}, .look = look};
    for (std::size_t i = 0; i < energies.size(); ++i)
        line.points.push_back({100 * kShares[i], energies[i], energies[i], energies[i]});
    return line;
}

/// Thin lines, and a thick one through their means.
void add(LineSeries &series, const QString &name, const std::vector<std::vector<double>> &curves, bool alone)
{
    if (curves.empty())
        return;
    const auto style
        = static_cast<int>(std::ranges::count(series.lines, LineSeries::Look::Line, &LineSeries::Line::look));
    std::vector<double> mean(std::size(kShares), 0);
    for (const std::vector<double> &curve : curves) {
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += curve[i] / static_cast<double>(curves.size());
        if (!alone)
            series.lines.push_back(lineOf(name, style, curve, LineSeries::Look::Thin));
    }
    series.lines.push_back(lineOf(name, style, mean, LineSeries::Look::Line));
}

std::vector<std::vector<double>> curvesOf(const EnergyResult &result, EnergyMatrix matrix,
                                          std::vector<EnergyCurve> LayerEnergy::*curves)
{
    std::vector<std::vector<double>> all;
    for (const LayerEnergy &layer : result.layers) {
        const auto curve = std::ranges::find(layer.*curves, matrix, &EnergyCurve::matrix);
        if (curve != (layer.*curves).end())
            all.push_back(sampled(*curve, layer.dimensions));
    }
    return all;
}

} // namespace

LineSeries makeEnergySeries(const EnergyResult &result)
{
    std::vector<std::vector<double>> heads;
    for (const HeadEnergy &head : result.heads) {
        const auto curve = std::ranges::find(head.curves, EnergyMatrix::Product, &EnergyCurve::matrix);
        if (curve != head.curves.end() && !curve->energy.empty())
            heads.push_back(sampled(*curve, std::ssize(curve->energy)));
    }
    LineSeries series;
    add(series, EnergyWords::tr("queries"), curvesOf(result, EnergyMatrix::Query, &LayerEnergy::curves), true);
    add(series, EnergyWords::tr("keys"), curvesOf(result, EnergyMatrix::Key, &LayerEnergy::curves), true);
    add(series, EnergyWords::tr("product, all heads of an attention"),
        curvesOf(result, EnergyMatrix::Product, &LayerEnergy::curves), false);
    add(series, EnergyWords::tr("product, heads by themselves"), heads, false);
    add(series, EnergyWords::tr("random numbers"), curvesOf(result, EnergyMatrix::Product, &LayerEnergy::random), true);
    if (!series.empty() && !result.layers.empty())
        series.lines.back().look = LineSeries::Look::Outline;
    if (series.empty())
        return series;
    // Thin lines lie below.
    std::ranges::stable_sort(series.lines, {},
                             [](const LineSeries::Line &line) { return line.look != LineSeries::Look::Thin; });
    series.axes.xHigh = 100;
    for (int tick = 0; tick <= 100; tick += 20)
        series.axes.xTicks.emplace_back(tick, EnergyWords::tr("%1 %").arg(QLocale().toString(tick)));
    series.axes.xTitle = EnergyWords::tr("share of dimensions");
    series.axes.yTitle = EnergyWords::tr("energy (%)");
    // Sums of shares that end a rounding above 1 are no reason for another tick.
    series.axes.yHigh = 100;
    series.axes.yTicks = axisTicks(series.axes.yLow, series.axes.yHigh, 8);
    return series;
}

} // namespace headscope
