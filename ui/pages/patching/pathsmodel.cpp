#include "ui/pages/patching/pathsmodel.h"

#include "ui/charts/pathseries.h"
#include "ui/models/numbertext.h"
#include "ui/models/roles.h"

#include <cmath>
#include <utility>

namespace headscope {

void PathsModel::setResult(std::shared_ptr<const PathsResult> result)
{
    if (result == m_result)
        return;
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int PathsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->paths.size());
}

int PathsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PathsModel::text(const PathEffect &path, int column)
{
    const ValueFormat format{.decimals = 3};
    const auto shown = [&](double value) { return std::isfinite(value) ? format.difference(value) : QString(); };
    switch (column) {
    case FromColumn:
        return QString::fromStdString(toText(path.head));
    case ToColumn:
        return receiverName(path);
    case InputColumn:
        return pathInputName(path.input);
    case EffectColumn: // an estimate stands in its own column
        return path.exact ? shown(path.effect.effect) : QString();
    case IntervalColumn:
        return path.exact && std::isfinite(path.effect.interval.low) ? format.interval(path.effect.interval, true)
                                                                     : QString();
    case DeltaColumn:
        return path.exact ? shown(path.effect.delta) : QString();
    case AttributionColumn:
        return shown(path.effect.attribution);
    case DiscoveryColumn:
        return path.exact && std::isfinite(path.discoveryP) ? probabilityText(path.discoveryP) : QString();
    default:
        return {};
    }
}

QVariant PathsModel::sortValue(const PathEffect &path, int column)
{
    switch (column) {
    case FromColumn:
        return QVariant::fromValue(static_cast<int>(path.head.kind) * 1'000'000 + path.head.layer * 1000
                                   + path.head.head);
    case EffectColumn:
        return path.effect.effect;
    case IntervalColumn:
        return path.effect.interval.high - path.effect.interval.low;
    case DeltaColumn:
        return path.effect.delta;
    case AttributionColumn:
        return path.effect.attribution;
    case DiscoveryColumn:
        return path.discoveryP;
    default:
        return text(path, column);
    }
}

QVariant PathsModel::data(const QModelIndex &index, int role) const
{
    if (!m_result || !index.isValid())
        return {};
    const PathEffect &one = path(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(one, index.column());
    case Qt::ToolTipRole:
        return one.exact ? tr("Computed by runs of every pair") : tr("Only estimated by gradients");
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((index.column() <= InputColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case SortRole:
        return sortValue(one, index.column());
    default:
        return {};
    }
}

QVariant PathsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const struct
    {
        const char *name;
        const char *tip;
    } kHeaders[ColumnCount] = {
        {QT_TR_NOOP("From"), QT_TR_NOOP("The head whose changed output goes along the path")},
        {QT_TR_NOOP("To"), QT_TR_NOOP("The head that reads it, heads that share what reads it, or the output")},
        {QT_TR_NOOP("Input"), QT_TR_NOOP("What of the receiver the change reaches")},
        {QT_TR_NOOP("Effect"), QT_TR_NOOP("The share of the difference between the texts that the path brings over")},
        {QT_TR_NOOP("95 % interval"), QT_TR_NOOP("Of the effect: bootstrap over pairs of texts")},
        {QT_TR_NOOP("Δ"), QT_TR_NOOP("Change of what is measured of the answer")},
        {QT_TR_NOOP("Estimate"), QT_TR_NOOP("What gradients estimate Δ to be (edge attribution)")},
        {QT_TR_NOOP("BH"), QT_TR_NOOP("Adjusted for the number of paths (Benjamini–Hochberg)")},
    };
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return tr(kHeaders[section].name);
    if (role == Qt::ToolTipRole)
        return tr(kHeaders[section].tip);
    return {};
}

} // namespace headscope
