#pragma once

#include "core/results/pathsresult.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace headscope {

/// The paths of a result, a row each, in its order: the strongest first. SortRole answers in every column.
class PathsModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PathsModel)
public:
    enum Column {
        FromColumn,
        ToColumn,
        InputColumn,
        EffectColumn,
        IntervalColumn,
        DeltaColumn,
        AttributionColumn,
        DiscoveryColumn,
        ColumnCount
    };

    explicit PathsModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setResult(std::shared_ptr<const PathsResult> result);
    /// Of a row.
    const PathEffect &path(int row) const { return m_result->paths[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    static QString text(const PathEffect &path, int column);
    static QVariant sortValue(const PathEffect &path, int column);

    std::shared_ptr<const PathsResult> m_result;
};

} // namespace headscope
