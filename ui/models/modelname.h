#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QString>

namespace headscope {

/// What a model is called: by its folder; an epoch of a training run by the run's.
inline QString modelName(const QString &folder)
{
    static const QRegularExpression epoch(QStringLiteral("^epoch-0*(\\d+)$"));
    const QString name = QDir(folder).dirName();
    const auto match = epoch.match(name);
    const QString run = QDir(QFileInfo(QDir::cleanPath(folder)).path()).dirName();
    return match.hasMatch() && !run.isEmpty()
             ? QCoreApplication::translate("headscope::ModelName", "%1, epoch %2").arg(run, match.captured(1))
             : name;
}

} // namespace headscope
