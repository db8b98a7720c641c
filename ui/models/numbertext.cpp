#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace headscope {

namespace {
constexpr QChar kMinus(0x2212);
} // namespace

QString numberText(double value, int decimals)
{
    if (std::isnan(value))
        return QStringLiteral("–");
    QString text = QLocale().toString(std::abs(value), 'f', decimals);
    const double smallest = 0.5 * std::pow(10.0, -decimals);
    return value <= -smallest ? QString(kMinus + text) : text;
}

QString signedText(double value, int decimals)
{
    const double smallest = 0.5 * std::pow(10.0, -decimals);
    const QString text = numberText(value, decimals);
    return value >= smallest ? QString(u'+' + text) : text;
}

QString countText(std::int64_t count)
{
    return QLocale().toString(static_cast<qlonglong>(count));
}

QString parametersText(std::int64_t count)
{
    constexpr double kMillion = 1e6;
    return static_cast<double>(count) < kMillion
        ? QCoreApplication::translate("headscope::NumberText", "%1 parameters").arg(countText(count))
        : QCoreApplication::translate("headscope::NumberText", "%1 million parameters")
              .arg(numberText(static_cast<double>(count) / kMillion, 1));
}

QString intervalText(const Interval &interval, int decimals, bool withSign)
{
    const auto text = [&](double value) {
        return withSign ? signedText(value, decimals) : numberText(value, decimals);
    };
    return u'[' + text(interval.low) + QStringLiteral(", ") + text(interval.high) + u']';
}

QString probabilityText(double p)
{
    if (p < 0.001)
        return QStringLiteral("< ") + QLocale().toString(0.001, 'f', 3);
    return QLocale().toString(p, 'f', p < 0.1 ? 3 : 2);
}

double halfWidth(const Interval &interval)
{
    return (interval.high - interval.low) / 2;
}

int metricDecimals(const QString &metric)
{
    return metric == QLatin1String("accuracy") ? 4 : 2;
}

} // namespace headscope
