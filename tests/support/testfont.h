#pragma once

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QString>
#include <QTest>

namespace headscope::testing {

/// The application's font, where the environment chooses one: HEADSCOPE_TEST_FONT="Noto Sans,12" (points). False where
/// this machine does not have it.
inline bool useTestFont()
{
    const QString wanted = qEnvironmentVariable("HEADSCOPE_TEST_FONT");
    if (wanted.isEmpty())
        return true;
    const QString family = wanted.section(u',', 0, 0);
    if (!QFontDatabase::families().contains(family))
        return false;
    QApplication::setFont(QFont(family, wanted.section(u',', 1).toInt()));
    return true;
}

/// How much larger the font is than the default in tests, at least 1.
inline double fontScale()
{
    return qMax(1.0, QFontMetricsF(QApplication::font()).height()
                         / QFontMetricsF(QFont(QStringLiteral("DejaVu Sans"), 9)).height());
}

} // namespace headscope::testing
