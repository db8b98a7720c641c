#pragma once

#include "core/results/results.h"

#include <QString>

namespace headscope {

/// Numbers as shown on screen: by locale, with a true minus sign.
QString numberText(double value, int decimals);
QString signedText(double value, int decimals); ///< "+0.12", "−0.53"; zero without sign
QString countText(std::int64_t count);          ///< "1,000"
QString intervalText(const Interval &interval, int decimals, bool withSign); ///< "[−0.81, −0.24]"
QString probabilityText(double p);              ///< "0.002", "< 0.001"
QString parametersText(std::int64_t count);     ///< "9.4 million parameters", "10,256 parameters"
/// "BLEU 56.9 ±0.4"-style half width of an interval around its middle.
double halfWidth(const Interval &interval);

/// Digits after the point for values of a metric: BLEU points 2, accuracy (0…1) 4.
int metricDecimals(const QString &metric);

} // namespace headscope
