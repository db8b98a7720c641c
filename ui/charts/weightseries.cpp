#include "ui/charts/weightseries.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace headscope {
namespace {

struct WeightWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::WeightSeries)
};

constexpr std::size_t kMostLinksOfWeights = 60; ///< lines that can still be told apart

QString shortNumber(double value)
{
    return QLocale().toString(value, 'g', 3);
}

/// Calls `visit(receiver, sender, value)` for all pairs that have one.
void forEachPair(const WeightsResult &result, const PairMeasure &measure,
                 const std::function<void(const HeadRef &, const HeadRef &, double)> &visit)
{
    for (const HeadComposition &receiver : result.composition) {
        const std::vector<double> &values
            = measure.isKernel ? receiver.kernels(measure.input) : receiver.scores(measure.input);
        std::size_t place = 0;
        for (const HeadWeightNumbers &sender : result.heads) {
            if (!composes(receiver.head, measure.input, sender.head))
                continue;
            if (place < values.size())
                visit(receiver.head, sender.head, values[place]);
            ++place;
        }
    }
}

} // namespace

QString pairMeasureName(const PairMeasure &measure)
{
    static constexpr std::array kLetters{u'Q', u'K', u'V'};
    const QChar letter = kLetters[static_cast<std::size_t>(measure.input)];
    return measure.isKernel ? WeightWords::tr("Projection kernel of O and %1").arg(letter)
                            : WeightWords::tr("%1-composition").arg(letter);
}

std::optional<double> pairValue(const WeightsResult &result, const HeadRef &receiver, const HeadRef &sender,
                                const PairMeasure &measure)
{
    return measure.isKernel ? kernelOf(result, receiver, measure.input, sender)
                            : compositionOf(result, receiver, measure.input, sender);
}

std::optional<double> randomPairValue(const WeightsResult &result, const PairMeasure &measure)
{
    constexpr double kDeviations = 1.96;
    std::optional<double> highest;
    for (const RandomComposition &random : result.random) {
        const std::optional<double> high
            = !measure.isKernel ? std::optional(random.interval.high)
            : random.kernel     ? std::optional(*random.kernel + kDeviations * random.kernelDeviation.value_or(0))
                                : std::nullopt;
        if (high)
            highest = std::max(highest.value_or(*high), *high);
    }
    return highest;
}

LineSeries makeEigenvalueSeries(const CircuitNumbers &circuit, bool ofVocabulary)
{
    const std::vector<double> &real = ofVocabulary ? circuit.vocabularyReal : circuit.eigenvaluesReal;
    const std::vector<double> &imaginary = ofVocabulary ? circuit.vocabularyImaginary : circuit.eigenvaluesImaginary;
    if (real.empty() || real.size() != imaginary.size())
        return {};
    LineSeries series;
    LineSeries::Line points{
        .name = WeightWords::tr("eigenvalues"), .style = 0, .points = {}, .look = LineSeries::Look::Points};
    double extent = 0;
    for (std::size_t i = 0; i < real.size(); ++i) {
        extent = std::max({extent, std::abs(real[i]), std::abs(imaginary[i])});
        const QString name
            = WeightWords::tr("%1 %2 %3 i")
                  .arg(shortNumber(real[i]), imaginary[i] < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                       shortNumber(std::abs(imaginary[i])));
        points.points.push_back(
            {.x = real[i], .y = imaginary[i], .low = imaginary[i], .high = imaginary[i], .name = name});
    }
    extent = extent > 0 ? 1.1 * extent : 1;
    series.axes.xLow = series.axes.yLow = -extent;
    series.axes.xHigh = series.axes.yHigh = extent;
    series.axes.xTicks = axisTicks(-extent, extent, 7);
    series.axes.yTicks = axisTicks(-extent, extent, 5);
    series.axes.xTitle = WeightWords::tr("real part (right: copies, or attends to what is like it)");
    series.axes.yTitle = WeightWords::tr("imaginary part");
    series.zeroLine = true;
    LineSeries::Line axis{.name = {}, .style = 0, .points = {}, .look = LineSeries::Look::Thin};
    for (const double y : {-extent, extent})
        axis.points.push_back({.x = 0, .y = y, .low = y, .high = y});
    series.lines = {std::move(points), std::move(axis)};
    return series;
}

LineSeries makeSingularValueSeries(const HeadWeightNumbers &head)
{
    LineSeries series;
    double most = 1;
    const auto add = [&](const CircuitNumbers &circuit, const QString &name, int style) {
        const std::vector<double> &values = circuit.singularValues;
        if (values.empty() || !(values.front() > 0))
            return;
        LineSeries::Line line{.name = name, .style = style, .points = {}};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double share = 100 * values[i] / values.front();
            line.points.push_back({.x = static_cast<double>(i + 1), .y = share, .low = share, .high = share});
        }
        most = std::max(most, static_cast<double>(values.size()));
        series.lines.push_back(std::move(line));
    };
    add(head.ov,
        WeightWords::tr("OV (largest: %1)")
            .arg(shortNumber(head.ov.singularValues.empty() ? 0 : head.ov.singularValues.front())),
        0);
    add(head.qk,
        WeightWords::tr("QK (largest: %1)")
            .arg(shortNumber(head.qk.singularValues.empty() ? 0 : head.qk.singularValues.front())),
        1);
    series.axes.xLow = 0;
    series.axes.xHigh = most + 1;
    series.axes.xTicks = axisTicks(0, most + 1, 8);
    series.axes.yLow = 0;
    series.axes.yHigh = 105;
    series.axes.yTicks = axisTicks(0, 100, 5);
    series.axes.xTitle = WeightWords::tr("singular value, from the largest on");
    series.axes.yTitle = WeightWords::tr("of the largest (%)");
    return series;
}

MatrixSeries makeMatrixSeries(const WeightsResult &result, const PairMeasure &measure)
{
    MatrixSeries series;
    for (const HeadWeightNumbers &head : result.heads)
        series.leaves.push_back(head.head);
    const auto placeOf = [&](const HeadRef &head) {
        return static_cast<std::size_t>(std::ranges::find(series.leaves, head) - series.leaves.begin());
    };
    series.values = PairTable(series.leaves.size());
    std::ranges::fill(series.values.values(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> known;
    HeadRef last;
    std::size_t row = series.leaves.size();
    std::size_t column = 0;
    forEachPair(result, measure, [&](const HeadRef &receiver, const HeadRef &sender, double value) {
        if (row == series.leaves.size() || last != receiver) {
            row = placeOf(receiver);
            column = 0;
            last = receiver;
        }
        while (series.leaves[column] != sender) // senders come in the order of the heads
            ++column;
        series.values.at(row, column) = value;
        known.push_back(value);
    });
    if (known.empty())
        return {};
    constexpr double kShown = 0.995; // of the pairs: the few beyond them have the colour of the end
    std::ranges::sort(known);
    const double most = known[static_cast<std::size_t>(kShown * static_cast<double>(known.size() - 1))];
    series.scale = ColorScale::fitting(ScaleKind::Sequential, std::array{0.0, most});
    series.format = {.decimals = measure.isKernel ? 2 : 3};
    const auto random = randomPairValue(result, measure);
    series.legend
        = random ? WeightWords::tr("%1 (random matrices: up to %2)").arg(pairMeasureName(measure), shortNumber(*random))
                 : pairMeasureName(measure);
    return series;
}

std::vector<HeadLink> makeLinks(const WeightsResult &result, const PairMeasure &measure,
                                const std::optional<HeadRef> &of)
{
    const double random = randomPairValue(result, measure).value_or(0);
    std::vector<std::pair<double, HeadLink>> found;
    forEachPair(result, measure, [&](const HeadRef &receiver, const HeadRef &sender, double value) {
        if (value > random && (!of || *of == receiver || *of == sender))
            found.push_back({value, {.head = sender, .other = receiver}});
    });
    std::ranges::stable_sort(found, std::ranges::greater{}, &std::pair<double, HeadLink>::first);
    found.resize(std::min(found.size(), kMostLinksOfWeights));
    std::vector<HeadLink> links;
    for (auto &[value, link] : found) {
        link.strength = (value - random) / std::max(found.front().first - random, 1e-12);
        links.push_back(link);
    }
    return links;
}

} // namespace headscope
