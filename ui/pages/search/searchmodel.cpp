#include "ui/pages/search/searchmodel.h"

#include "ui/models/numbertext.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
QString percentText(double share)
{
    return SearchModel::tr("%1 %").arg(QLocale().toString(static_cast<int>(std::lround(100 * share))));
}
} // namespace

void SearchModel::setResult(std::shared_ptr<const SearchResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

const SearchPoint *SearchModel::point(int row) const
{
    return m_result && row >= 0 && row < rowCount() ? &m_result->points[static_cast<std::size_t>(row)] : nullptr;
}

int SearchModel::rowOf(std::int64_t pruned) const
{
    for (int row = 0; row < rowCount(); ++row) {
        if (point(row)->pruned == pruned)
            return row;
    }
    return -1;
}

std::optional<SearchMethod> SearchModel::methodOf(int column)
{
    if (column == LayersColumn)
        return SearchMethod::Rescaled;
    if (column < FirstMethodColumn || column > LayersColumn)
        return std::nullopt;
    return kSearchMethods[static_cast<std::size_t>(column - FirstMethodColumn)];
}

int SearchModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->points.size());
}

int SearchModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SearchModel::text(const SearchPoint &point, int column) const
{
    if (column == RemovedColumn)
        return countText(point.pruned);
    if (column == AttentionColumn)
        return percentText(point.attentionMacs);
    if (column == LayersColumn)
        return tr("%1/%2").arg(countText(point.rescaledLayers), countText(point.attentionLayers));
    const FoundMask &found = foundMask(point, *methodOf(column));
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->baseline.name));
    return tr("%1 (%2)").arg(format.number(found.score), format.difference(found.delta));
}

QString SearchModel::toolTip(const SearchPoint &point, int column) const
{
    const auto method = methodOf(column);
    if (column == RemovedColumn)
        return tr("%1 of the candidates").arg(percentText(point.fraction));
    if (column == LayersColumn)
        return tr("Rescaled layers: %1 of %2. A factor beyond 10 ends rescaling.")
            .arg(countText(point.rescaledLayers), countText(point.attentionLayers));
    if (!method)
        return {};
    const FoundMask &found = foundMask(point, *method);
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->baseline.name));
    const QString difference = found.paired ? format.interval(found.paired->interval, true) : tr("not known");
    return tr("%1: %2 %3, 95 % interval %4; in brackets the difference from the full model, whose interval is %5")
        .arg(searchMethodName(*method), QString::fromStdString(m_result->baseline.name), format.score(found.score),
             format.interval(found.interval, false), difference);
}

QVariant SearchModel::data(const QModelIndex &index, int role) const
{
    const SearchPoint *at = index.isValid() ? point(index.row()) : nullptr;
    if (!at)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(*at, index.column());
    case Qt::ToolTipRole:
        return toolTip(*at, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const bool isMethod = section >= FirstMethodColumn && section < LayersColumn;
    const SearchMethod method = methodOf(section).value_or(SearchMethod::Searched);
    if (role == Qt::ToolTipRole) {
        return isMethod ? searchMethodExplanation(method)
             : section == AttentionColumn
                 ? tr("Multiply-adds of attention that are left, by the lengths of the examples that "
                      "gradients come from")
             : section == LayersColumn ? tr("Attention layers whose heads are scaled, of those that have any")
                                       : tr("Heads removed");
    }
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    if (isMethod)
        return searchMethodName(method);
    return section == RemovedColumn ? tr("Removed") : section == AttentionColumn ? tr("Attention") : tr("Scaled");
}

} // namespace headscope
