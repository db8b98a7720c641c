#include "ui/pages/models/modelsmodel.h"

#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"

#include <QStringList>

#include <limits>
#include <optional>
#include <utility>

namespace headscope {

namespace {

/// Of all heads, how many are needed; 0 … 1.
std::optional<double> neededShare(const ModelsRow &row)
{
    if (!row.needed || !row.heads || *row.heads == 0)
        return std::nullopt;
    return static_cast<double>(*row.needed) / static_cast<double>(*row.heads);
}

std::int64_t headsWithRole(const ModelsRow &row)
{
    std::int64_t heads = 0;
    for (const auto &[role, count] : row.roles)
        heads += count;
    return heads;
}

/// "positional 3, copy 1"
QString rolesOf(const ModelsRow &row)
{
    QStringList parts;
    for (const auto &[role, count] : row.roles)
        parts << fromCore(role) + u' ' + countText(count);
    return parts.join(QStringLiteral(", "));
}

} // namespace

void ModelsModel::setRows(std::vector<ModelsRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ModelsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ModelsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ModelsModel::text(const ModelsRow &row, int column) const
{
    const auto string = [](const std::string &text) { return QString::fromStdString(text); };
    switch (column) {
    case ModelColumn:
        return string(row.model);
    case DataColumn:
        return string(row.data);
    case ScoreColumn:
        return row.score ? tr("%1 %2").arg(metricFormat(string(row.metric)).score(*row.score), string(row.metric))
                         : QString();
    case HeadsColumn:
        return row.heads ? countText(*row.heads) : QString();
    case NeededColumn:
        return row.needed ? countText(*row.needed) : QString();
    case ShareColumn: {
        const auto share = neededShare(row);
        return share ? tr("%1 %").arg(numberText(100 * *share, 0)) : QString();
    }
    case OrderColumn:
        return fromCore(row.order);
    case CorrelationColumn:
        return row.r ? numberText(*row.r, 2) : QString();
    case RolesColumn:
        return rolesOf(row);
    default:
        return {};
    }
}

/// What is not known goes to one end.
QVariant ModelsModel::sortValue(const ModelsRow &row, int column) const
{
    const auto number = [](const auto &value) {
        return QVariant(value ? static_cast<double>(*value) : -std::numeric_limits<double>::infinity());
    };
    switch (column) {
    case ScoreColumn:
        return number(row.score);
    case HeadsColumn:
        return number(row.heads);
    case NeededColumn:
        return number(row.needed);
    case ShareColumn:
        return number(neededShare(row));
    case CorrelationColumn:
        return number(row.r);
    case RolesColumn:
        return static_cast<qlonglong>(headsWithRole(row));
    default:
        return text(row, column);
    }
}

QString ModelsModel::toolTip(const ModelsRow &row, int column) const
{
    if (column == NeededColumn && row.needed)
        return tr("What is left when as many heads are gone as can go for less than 1 % of the score (at 95 % "
                  "confidence), by the order %1")
            .arg(fromCore(row.order));
    if (column == NeededColumn && row.heads)
        return tr("Cannot be told with the examples of these curves, or they have no tests against the full model: "
                  "compute them again");
    if (column == CorrelationColumn && row.r)
        return tr("Pearson's r of the heads' values here with those on %1").arg(QString::fromStdString(row.rWith));
    return text(row, column);
}

QVariant ModelsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ModelsRow &row = m_rows[static_cast<std::size_t>(index.row())];
    const bool number = index.column() >= ScoreColumn && index.column() != OrderColumn && index.column() != RolesColumn;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return plainTip(toolTip(row, index.column()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter));
    case kSortRole:
        return sortValue(row, index.column());
    default:
        return {};
    }
}

QVariant ModelsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (role == Qt::ToolTipRole && section == ShareColumn)
        return tr("Of all heads, how many are needed for 99 % of the score");
    if (role != Qt::DisplayRole)
        return {};
    return QStringList{tr("model"),
                       tr("data"),
                       tr("score"),
                       tr("heads"),
                       tr("needed for 99 %"),
                       tr("share"),
                       tr("order"),
                       tr("r"),
                       tr("heads with a role")}
        .value(section);
}

} // namespace headscope
