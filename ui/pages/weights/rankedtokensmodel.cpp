#include "ui/pages/weights/rankedtokensmodel.h"

#include "ui/models/numbertext.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {

void RankedTokensModel::setColumns(std::vector<Column> columns)
{
    beginResetModel();
    m_columns = std::move(columns);
    endResetModel();
}

int RankedTokensModel::rowCount(const QModelIndex &parent) const
{
    std::size_t rows = 0;
    for (const Column &column : m_columns)
        rows = std::max(rows, column.tokens.size());
    return parent.isValid() ? 0 : static_cast<int>(rows);
}

int RankedTokensModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RankedTokensModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Column &column = m_columns[static_cast<std::size_t>(index.column())];
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= column.tokens.size())
        return {};
    const RankedToken &token = column.tokens[row];
    if (role == Qt::DisplayRole)
        return tr("%1  %2").arg(QString::fromStdString(token.text), signedText(token.value, 2));
    if (role == Qt::ToolTipRole)
        return tr("Token %1: %2 more than the mean over all tokens").arg(token.id).arg(signedText(token.value, 4));
    return {};
}

QVariant RankedTokensModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column &column = m_columns[static_cast<std::size_t>(section)];
    return role == Qt::DisplayRole ? QVariant(column.title)
         : role == Qt::ToolTipRole ? QVariant(column.tip)
                                   : QVariant();
}

} // namespace headscope
