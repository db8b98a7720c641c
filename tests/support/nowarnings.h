#pragma once

#include <QRegularExpression>
#include <QTest>

namespace headscope {

/// Any Qt warning fails the running test function. What the offscreen platform says it does not do (minimum sizes,
/// raising windows, grabbing the keyboard for menus) says nothing of ours.
inline void failOnQtWarnings()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support )")));
}

} // namespace headscope
