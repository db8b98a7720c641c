#pragma once

#include "core/results/modelstable.h"

#include <QAbstractTableModel>

#include <vector>

namespace headscope {

/// Models beside each other: a row for each and every data set that it was measured on.
class ModelsModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelsModel)
public:
    enum Column {
        ModelColumn,
        DataColumn,
        ScoreColumn,
        HeadsColumn,
        NeededColumn,
        ShareColumn,
        OrderColumn,
        CorrelationColumn,
        RolesColumn,
        ColumnCount
    };
    static constexpr int kSortRole = Qt::UserRole; ///< numbers as numbers

    explicit ModelsModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setRows(std::vector<ModelsRow> rows);
    const std::vector<ModelsRow> &rows() const { return m_rows; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const ModelsRow &row, int column) const;
    QVariant sortValue(const ModelsRow &row, int column) const;
    QString toolTip(const ModelsRow &row, int column) const;

    std::vector<ModelsRow> m_rows;
};

} // namespace headscope
