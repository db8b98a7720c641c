#pragma once

#include <QRegularExpression>
#include <QTest>

namespace headscope {

/// Any Qt warning fails the running test function. The offscreen platform's remark that windows of minimum size are
/// not its business says nothing of ours.
inline void failOnQtWarnings()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
}

} // namespace headscope
