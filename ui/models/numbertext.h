#pragma once

#include "core/base/better.h"
#include "core/base/interval.h"
#include "core/results/manifest.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace headscope {

/// Numbers as shown on screen: by locale, with a true minus sign.
QString numberText(double value, int decimals);
QString signedText(double value, int decimals); ///< "+0.12", "−0.53"; zero without sign
QString countText(std::int64_t count);          ///< "1,000"
/// How many examples a result is of: "64 of 1,000" of one that is not complete.
QString examplesCountText(const Manifest &manifest, std::int64_t examples);
QString intervalText(const Interval &interval, int decimals, bool withSign); ///< "[−0.81, −0.24]"
QString probabilityText(double p);                                           ///< "0.002", "< 0.001"
QString parametersText(std::int64_t count); ///< "9.4 million parameters", "10,256 parameters"
/// "BLEU 56.9 ±0.4"-style half width of an interval around its middle.
double halfWidth(const Interval &interval);

/// How values of one quantity are shown on screen. Files keep them as they are.
struct ValueFormat
{
    double factor = 1; ///< 100: fractions of 1 shown as per cent
    int decimals = 2;
    QString suffix = {}; ///< after a score: " %"
    QString unit = {};   ///< of differences: "BLEU points"

    QString number(double value) const;     ///< "80.96", without suffix
    QString score(double value) const;      ///< "80.96 %"
    QString difference(double value) const; ///< "−1.26"
    QString interval(const Interval &interval, bool withSign) const;
    /// "80.96 % ±2.60"
    QString score(double value, const std::optional<Interval> &interval) const;
    bool operator==(const ValueFormat &) const = default;
};

/// What a scale says beside its metric and its unit: "%, lower is better"; the unit alone where higher is, as expected.
QString unitText(const QString &unit, Better better);

/// BLEU in points, accuracy and F1 (0…1 in files) as per cent, correlations, losses and perplexities as they are.
ValueFormat metricFormat(const QString &metric);

} // namespace headscope
