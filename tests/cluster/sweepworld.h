#pragma once

#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

/// A small sweep in a folder of its own, what one run makes of it, and what is to be like it.
namespace headscope::testing {

class SweepWorld
{
public:
    static constexpr int kRows = 150;

    SweepWorld()
    {
        writeTinyClassifier(path("model").toStdString(), {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b"}});
        writeTinyTable(path("table.tsv").toStdString(), kRows, 3);
    }

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    /// The words of a sweep, and more.
    QStringList sweep(const QStringList &more = {}) const
    {
        return QStringList{QStringLiteral("ablate"),
                           QStringLiteral("--model"),
                           path("model"),
                           QStringLiteral("--data"),
                           path("table.tsv"),
                           QStringLiteral("--threads"),
                           QStringLiteral("1"),
                           QStringLiteral("--resamples"),
                           QStringLiteral("20")}
             + more;
    }

    /// A result without what depends on when and where it was made, and on how examples went together.
    static QByteArray content(const QByteArray &json)
    {
        QJsonObject result = QJsonDocument::fromJson(json).object();
        result.remove(QStringLiteral("manifest"));
        result.remove(QStringLiteral("products"));
        return result.isEmpty() ? QByteArray() : QJsonDocument(result).toJson();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace headscope::testing
