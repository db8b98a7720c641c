#pragma once

#include "tests/support/formatpage.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTest>

/// Drives headscope-cli as a script would.
namespace headscope::testing {

struct Run
{
    int code = -1;
    QByteArray out;
    QByteArray err;

    /// What was printed; a key that FORMAT.md does not describe fails the test.
    QJsonObject json() const
    {
        const QJsonObject json = QJsonDocument::fromJson(out).object();
        const QStringList undescribed = undescribedKeys(json[QStringLiteral("result")].toString(), json);
        if (!undescribed.isEmpty())
            QTest::qFail(qPrintable(QStringLiteral("not in FORMAT.md: ") + undescribed.join(QStringLiteral(", "))),
                         __FILE__, __LINE__);
        return json;
    }
};

inline QString program()
{
    return qEnvironmentVariable("HEADSCOPE_BIN") + QStringLiteral("/headscope-cli");
}

inline Run run(const QStringList &arguments)
{
    QProcess process;
    process.start(program(), arguments);
    if (!process.waitForFinished(300000))
        return {-1, {}, process.errorString().toUtf8()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

/// Says what went wrong where something should not have.
inline Run checked(const QStringList &arguments)
{
    Run result = run(arguments);
    if (result.code != 0)
        qWarning("%s", result.err.constData());
    return result;
}

inline bool writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QFile::WriteOnly) && file.write(content) == content.size();
}

inline QByteArray readFile(const QString &path)
{
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace headscope::testing
