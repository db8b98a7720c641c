#include "ui/pages/analyses/csvmodel.h"

#include "core/formats/csv.h"
#include "ui/models/plaintip.h"

#include <QLocale>

#include <utility>

namespace headscope {

void CsvModel::setCsv(const std::string &csv)
{
    beginResetModel();
    auto rows = parseCsv(csv, "result");
    m_rows = rows.isOk() ? std::move(rows).valueOrThrow() : std::vector<CsvRow>();
    endResetModel();
}

int CsvModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_rows.empty() ? 0 : static_cast<int>(m_rows.size()) - 1;
}

int CsvModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_rows.empty() ? 0 : static_cast<int>(m_rows.front().size());
}

QVariant CsvModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto &row = m_rows.at(static_cast<std::size_t>(index.row()) + 1);
    if (static_cast<std::size_t>(index.column()) >= row.size())
        return {};
    const QString text = QString::fromStdString(row[static_cast<std::size_t>(index.column())]);
    bool isNumber = false;
    const double number = QLocale::c().toDouble(text, &isNumber);
    switch (role) {
    case Qt::DisplayRole:
        return isNumber && text.contains(u'.') ? QLocale().toString(number, 'g', 5) : text;
    case Qt::ToolTipRole:
        return text;
    case kSortRole:
        return isNumber ? QVariant(number) : QVariant(text);
    case Qt::TextAlignmentRole:
        return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant CsvModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const bool isShown = role == Qt::DisplayRole || role == Qt::ToolTipRole;
    if (orientation != Qt::Horizontal || !isShown || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    const QString name = QString::fromStdString(m_rows.front()[static_cast<std::size_t>(section)]).replace(u'_', u' ');
    return role == Qt::ToolTipRole ? plainTip(name) : name.section(QStringLiteral(" ["), 0, 0); // without the unit
}

} // namespace headscope
