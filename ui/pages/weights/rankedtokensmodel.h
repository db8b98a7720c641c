#pragma once

#include "core/results/headtokensresult.h"

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace headscope {

/// Lists of tokens side by side, the furthest first.
class RankedTokensModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RankedTokensModel)
public:
    struct Column
    {
        QString title;
        QString tip;
        std::vector<RankedToken> tokens;
    };

    explicit RankedTokensModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setColumns(std::vector<Column> columns);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Column> m_columns;
};

} // namespace headscope
