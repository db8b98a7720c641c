#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QLocale>

#include <cmath>

namespace headscope {

namespace {
constexpr QChar kMinus(0x2212);

struct NumberWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::NumberText)
};

/// In windows that are laid out from right to left the sign would move after its number, if a mark did not hold it.
QString withSign(QChar sign, const QString &text)
{
    constexpr QChar kLeftToRightMark(0x200E);
    return QGuiApplication::isRightToLeft() ? QString(kLeftToRightMark + sign + text) : QString(sign + text);
}
} // namespace

QString numberText(double value, int decimals)
{
    if (std::isnan(value))
        return QStringLiteral("–");
    QString text = QLocale().toString(std::abs(value), 'f', decimals);
    const double smallest = 0.5 * std::pow(10.0, -decimals);
    return value <= -smallest ? withSign(kMinus, text) : text;
}

QString signedText(double value, int decimals)
{
    const double smallest = 0.5 * std::pow(10.0, -decimals);
    const QString text = numberText(value, decimals);
    return value >= smallest ? withSign(u'+', text) : text;
}

QString countText(std::int64_t count)
{
    return QLocale().toString(static_cast<qlonglong>(count));
}

QString examplesCountText(const Manifest &manifest, std::int64_t examples)
{
    return manifest.partial && manifest.totalExamples > 0
             ? NumberWords::tr("%1 of %2").arg(countText(examples), countText(manifest.totalExamples))
             : countText(examples);
}

QString parametersText(std::int64_t count)
{
    constexpr double kMillion = 1e6;
    return static_cast<double>(count) < kMillion
             ? NumberWords::tr("%1 parameters").arg(countText(count))
             : NumberWords::tr("%1 million parameters").arg(numberText(static_cast<double>(count) / kMillion, 1));
}

QString intervalText(const Interval &interval, int decimals, bool withSign)
{
    const auto text
        = [&](double value) { return withSign ? signedText(value, decimals) : numberText(value, decimals); };
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

QString ValueFormat::number(double value) const
{
    return numberText(value * factor, decimals);
}

QString ValueFormat::score(double value) const
{
    return number(value) + suffix;
}

QString ValueFormat::difference(double value) const
{
    return signedText(value * factor, decimals);
}

QString ValueFormat::interval(const Interval &interval, bool withSign) const
{
    return intervalText({interval.low * factor, interval.high * factor}, decimals, withSign);
}

QString ValueFormat::score(double value, const std::optional<Interval> &interval) const
{
    // One example has none, and examples that all count alike have one without width, which says nothing.
    if (!interval || !std::isfinite(halfWidth(*interval)) || halfWidth(*interval) == 0)
        return score(value);
    return score(value) + QStringLiteral(" ±") + number(halfWidth(*interval));
}

QString unitText(const QString &unit, Better better)
{
    if (better == Better::Higher)
        return unit;
    const QString lower = NumberWords::tr("lower is better");
    return unit.isEmpty() ? lower : QString(unit + QStringLiteral(", ") + lower);
}

ValueFormat metricFormat(const QString &metric)
{
    if (metric == QLatin1String("BLEU") || metric.startsWith(QLatin1String("chrF")))
        return {1, 2, {}, NumberWords::tr("%1 points").arg(metric)};
    if (metric.endsWith(QLatin1String("accuracy")) || metric.endsWith(QLatin1String("F1")))
        return {100, 2, NumberWords::tr(" %"), NumberWords::tr("percentage points")};
    if (metric.endsWith(QLatin1String("perplexity")))
        return {1, 3, {}, {}};
    return {1, 4, {}, {}};
}

} // namespace headscope
