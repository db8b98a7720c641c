#include "ui/pages/sharing/costsmodel.h"

#include "ui/models/numbertext.h"
#include "ui/pages/sharing/sharingseries.h"

#include <QLocale>

#include <cmath>
#include <cstddef>
#include <utility>

namespace headscope {

void CostsModel::setPoints(std::vector<SharedPoint> points, std::int64_t length, const QString &metric)
{
    beginResetModel();
    m_points = std::move(points);
    m_length = length;
    m_metric = metric;
    endResetModel();
}

int CostsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_points.size());
}

int CostsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString CostsModel::text(const SharedPoint &point, int column) const
{
    const bool isShared = point.width > 0;
    switch (column) {
    case NameColumn:
        return sharedPointName(point);
    case ScoreColumn:
        return metricFormat(m_metric).score(point.score);
    case ParametersColumn:
        return countText(point.parameters);
    case ProjectionsColumn:
        return countText(point.scoreParameters);
    case CompressionColumn:
        return numberText(point.compression, 2);
    case MultiplyAddsColumn:
        return m_length > 0 ? countText(std::llround(point.multiplyAdds)) : QString();
    case BreakEvenColumn:
        return !isShared ? QString() : point.breakEven ? numberText(*point.breakEven, 0) : tr("any");
    case SecondsColumn:
        return isShared ? numberText(point.seconds(), 2) : QString();
    default:
        return {};
    }
}

QVariant CostsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::DisplayRole)
        return text(m_points[static_cast<std::size_t>(index.row())], index.column());
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter | (index.column() == NameColumn ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

QVariant CostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    if (!tip && role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn:
        return tip ? tr("How projections are shared, and heads removed") : tr("model");
    case ScoreColumn:
        return tip ? tr("Of the model, without any training") : m_metric.isEmpty() ? tr("score") : m_metric;
    case ParametersColumn:
        return tip ? tr("Of the whole model") : tr("parameters");
    case ProjectionsColumn:
        return tip ? tr("Of query and key projections, with what belongs to them") : tr("of query and key");
    case CompressionColumn:
        return tip ? tr("Parameters of query and key projections of the model as it is, by these")
                   : tr("times smaller");
    case MultiplyAddsColumn:
        return tip ? tr("Multiply-adds of the attention scores of a sequence of %1 tokens, the mean of the data set")
                         .arg(countText(m_length))
                   : tr("multiply-adds");
    case BreakEvenColumn:
        return tip ? tr(
                   "Tokens up to which scores take fewer multiply-adds than before: every head multiplies all shared "
                   "columns")
                   : tr("break-even length");
    case SecondsColumn:
        return tip ? tr("That the factorizations of all attentions took, several of which run at once")
                   : tr("factorization (s)");
    default:
        return {};
    }
}

} // namespace headscope
