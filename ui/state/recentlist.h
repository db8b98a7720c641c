#pragma once

#include <QObject>
#include <QStringList>

namespace headscope {

/// The models and studies opened last, newest first, kept in the settings. What is gone is left out.
class RecentList final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecentList)
public:
    explicit RecentList(QObject *parent = nullptr);

    QStringList paths() const;
    void add(const QString &path);
    void clear();

Q_SIGNALS:
    void changed();
};

} // namespace headscope
