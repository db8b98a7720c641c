#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QString>
#include <QStringList>

/// FORMAT.md's tables of what commands print beside results.
namespace headscope::testing {

/// Paths of keys ("runs[].epochs[].step") by the name of the output ("l0").
inline const QMap<QString, QSet<QString>> &describedOutputs()
{
    static const QMap<QString, QSet<QString>> outputs = [] {
        QMap<QString, QSet<QString>> found;
        QFile page(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + QStringLiteral("/core/results/FORMAT.md"));
        if (!page.open(QFile::ReadOnly))
            return found;
        const QString text
            = QString::fromUtf8(page.readAll()).section(QStringLiteral("## Other output of commands"), 1);
        for (const QString &section : text.split(QStringLiteral("\n### ")).mid(1)) {
            QSet<QString> keys;
            static const QRegularExpression row(QStringLiteral("^\\| `([^`]+)`"), QRegularExpression::MultilineOption);
            for (auto at = row.globalMatch(section); at.hasNext();)
                keys << at.next().captured(1);
            static const QRegularExpression name(QStringLiteral("`([^`]+)`"));
            for (auto at = name.globalMatch(section.section(u'\n', 0, 0)); at.hasNext();)
                found[at.next().captured(1)] = keys;
        }
        return found;
    }();
    return outputs;
}

inline void addUndescribed(const QJsonObject &json, const QString &path, const QSet<QString> &keys, QStringList &list)
{
    for (auto at = json.begin(); at != json.end(); ++at) {
        const QString key = path + at.key();
        if (!keys.contains(key)) {
            list << key;
            continue;
        }
        const auto hasParts = [&](const QString &begin) {
            for (const QString &other : keys) {
                if (other.startsWith(begin))
                    return true;
            }
            return false;
        };
        if (at->isObject() && hasParts(key + u'.'))
            addUndescribed(at->toObject(), key + u'.', keys, list);
        if (at->isArray() && hasParts(key + QStringLiteral("[].")))
            for (const auto item : at->toArray())
                addUndescribed(item.toObject(), key + QStringLiteral("[]."), keys, list);
    }
}

/// Keys of an output that FORMAT.md does not describe; none for results, which have tables of their own.
inline QStringList undescribedKeys(const QString &output, QJsonObject json)
{
    QStringList list;
    json.remove(QStringLiteral("result"));
    if (describedOutputs().contains(output))
        addUndescribed(json, {}, describedOutputs()[output], list);
    return list;
}

} // namespace headscope::testing
