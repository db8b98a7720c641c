#pragma once

#include "core/base/better.h"
#include "ui/heatmap/viewpalette.h"

#include <QColor>
#include <QRectF>
#include <QString>

#include <span>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

enum class ScaleKind {
    Diverging,  ///< signed quantities: blue is worse (below zero, unless lower is better), orange better, zero neutral
    Sequential, ///< one-sided quantities: one perceptually even ramp
};

/// From a value to a colour, as data: what the grid, the heat map, their legends and their exports share.
class ColorScale
{
public:
    /// Sequential 0…1.
    ColorScale() = default;

    /// Zero is neutral whatever the range; the ends are ±`extent`.
    static ColorScale diverging(double extent);
    /// As above, each side scaled to its own end. low ≤ 0 ≤ high.
    static ColorScale divergingUnpinned(double low, double high);
    static ColorScale sequential(double minimum, double maximum);

    /// A scale that covers the finite values of `values`. Diverging ends are rounded up to a round number,
    /// sequential scales begin at zero unless the smallest value is below it. Never empty.
    static ColorScale fitting(ScaleKind kind, std::span<const double> values, bool unpinned = false);

    /// The scale with the colours of a metric whose better scores are these: blue stays the colour of losses.
    ColorScale colored(Better better) const;

    ScaleKind kind() const { return m_kind; }
    double minimum() const { return m_minimum; }
    double maximum() const { return m_maximum; }

    /// Values beyond the ends get the end's colour; not-a-number gets missingColor().
    QColor color(double value, Appearance appearance = Appearance::Light) const;
    static QColor missingColor(Appearance appearance = Appearance::Light);

    /// Where `value` lies on the legend: 0 at minimum … 1 at maximum, not clipped.
    double position(double value) const;
    /// Round values within the range, ascending; zero is among them when it is in the range.
    std::vector<double> ticks(int atMost = 5) const;

    bool operator==(const ColorScale &) const = default;

private:
    ColorScale(ScaleKind kind, double minimum, double maximum);

    ScaleKind m_kind = ScaleKind::Sequential;
    double m_minimum = 0;
    double m_maximum = 1;
    Better m_better = Better::Higher;
};

/// 1, 2 or 5 times a power of ten: the step of at most `atMost` ticks over `range` > 0.
double roundStep(double range, int atMost);
/// Multiples of a round step within [minimum, maximum], ascending.
std::vector<double> roundTicks(double minimum, double maximum, int atMost);
/// As many digits after the point as a step needs, e.g. 0.05 → 2.
int decimalsOf(double step);

/// The height a horizontal legend needs with the painter's font.
double legendHeight(const QFontMetricsF &metrics);

/// The width that shows the whole label of a legend.
double legendWidth(const QFontMetricsF &metrics, const QString &label);

/// A horizontal colour bar with ticks and `label` (quantity and unit, e.g. "Δ BLEU (points)").
/// Ticks say their values times `factor`; `withMissing` adds the swatch of missing values.
void paintLegend(QPainter &painter, const QRectF &rect, const ColorScale &scale, const QString &label,
                 const ViewPalette &palette, double factor = 1, bool withMissing = false);

/// The same on one line, with the ends of the scale at the ends of the bar.
void paintFlatLegend(QPainter &painter, const QRectF &rect, const ColorScale &scale, const QString &label,
                     const ViewPalette &palette);

} // namespace headscope
