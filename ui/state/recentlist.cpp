#include "ui/state/recentlist.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope {

namespace {
constexpr int kMostEntries = 10;

QString key()
{
    return QStringLiteral("recent");
}
} // namespace

RecentList::RecentList(QObject *parent) : QObject(parent) { }

QStringList RecentList::paths() const
{
    QStringList paths = QSettings().value(key()).toStringList();
    paths.removeIf([](const QString &path) { return !QFileInfo::exists(path); });
    return paths;
}

void RecentList::add(const QString &path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList paths = this->paths();
    paths.removeAll(absolute);
    paths.prepend(absolute);
    QSettings().setValue(key(), QStringList(paths.mid(0, kMostEntries)));
    Q_EMIT changed();
}

void RecentList::clear()
{
    QSettings().remove(key());
    Q_EMIT changed();
}

} // namespace headscope
