#include "ui/models/headgridmodel.h"

#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/roletext.h"

#include <algorithm>
#include <iterator>

namespace headscope {

namespace {
template<typename T>
QVariant variantOf(const std::optional<T> &value)
{
    return value ? QVariant(*value) : QVariant();
}

std::optional<double> lowOf(const HeadCell &cell)
{
    return cell.interval ? std::optional(cell.interval->low) : std::nullopt;
}

std::optional<double> highOf(const HeadCell &cell)
{
    return cell.interval ? std::optional(cell.interval->high) : std::nullopt;
}
} // namespace

HeadGridModel::HeadGridModel(QObject *parent) : QAbstractTableModel(parent) { }

void HeadGridModel::setContent(GridContent content)
{
    const bool sameHeads = content.layout == m_content.layout;
    if (!sameHeads)
        beginResetModel();
    const bool otherHeaders = content.symbol != m_content.symbol;
    m_content = std::move(content);
    if (!sameHeads)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    if (sameHeads && otherHeaders)
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    Q_EMIT contentChanged();
}

void HeadGridModel::setMask(const HeadMask &mask)
{
    if (mask == m_mask)
        return;
    m_mask = mask;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void HeadGridModel::setPins(const std::set<HeadRef> &pins)
{
    if (pins == m_pins)
        return;
    m_pins = pins;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QModelIndex HeadGridModel::indexOf(const HeadRef &head, int column) const
{
    const HeadCell *cell = m_content.cell(head);
    const auto row = cell ? m_content.layout.indexOf(cell->head) : -1;
    return row < 0 ? QModelIndex() : index(static_cast<int>(row), column);
}

namespace {
/// The value with all that is known about it. Precondition: there is one.
QString valueSentence(const GridContent &content, const HeadCell &cell)
{
    QString text = content.symbol + u' ' + content.valueText(*cell.value);
    if (cell.interval)
        text += u' ' + content.intervalText(*cell.interval);
    if (const QString alike = content.alikeText(cell); !alike.isEmpty())
        text += HeadGridModel::tr(", %1").arg(alike);
    if (cell.p)
        text += HeadGridModel::tr(", p %1").arg(probabilityText(*cell.p));
    if (cell.pAdjusted && cell.discoveryP)
        text += HeadGridModel::tr(" (Holm %1, Benjamini–Hochberg %2)")
                    .arg(probabilityText(*cell.pAdjusted), probabilityText(*cell.discoveryP));
    else if (cell.pAdjusted)
        text += HeadGridModel::tr(" (Holm %1)").arg(probabilityText(*cell.pAdjusted));
    if (cell.mcnemar)
        text += HeadGridModel::tr(", McNemar p %1").arg(probabilityText(*cell.mcnemar));
    if (cell.significant && !*cell.significant)
        text += HeadGridModel::tr(", not significant (%1)").arg(content.significance.textOfOthers());
    if (cell.rank > 0)
        text += HeadGridModel::tr(", rank %1 of %2").arg(countText(cell.rank), countText(content.valueCount()));
    return text + HeadGridModel::tr(", %1").arg(content.examplesText(cell));
}
} // namespace

QString HeadGridModel::sentence(const HeadRef &head) const
{
    const HeadCell *cell = m_content.cell(head);
    if (!cell)
        return {};
    QString text = GridContent::nameOf(*cell);
    if (const QString group = m_content.groupText(*cell); !group.isEmpty())
        text += QStringLiteral(" (%1)").arg(group);
    text += QStringLiteral(": ");
    if (!cell->value) {
        text += tr("not computed yet");
    } else {
        text += valueSentence(m_content, *cell);
    }
    if (const QString roles = m_content.rolesText(*cell); !roles.isEmpty())
        text += tr(", %1").arg(roles);
    const auto own = GridContent::headsOf(*cell);
    const auto masked = std::ranges::count_if(own, [this](const HeadRef &one) { return m_mask.isMasked(one); });
    if (masked == std::ssize(own))
        text += tr(", masked");
    else if (masked > 0)
        text += tr(", %1 of %2 heads masked").arg(countText(masked), countText(std::ssize(own)));
    if (m_pins.contains(cell->head))
        text += tr(", pinned");
    return text;
}

/// All heads of it.
bool HeadGridModel::isMasked(const HeadCell &cell) const
{
    return std::ranges::all_of(GridContent::headsOf(cell),
                               [this](const HeadRef &head) { return m_mask.isMasked(head); });
}

int HeadGridModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_content.cells.size());
}

int HeadGridModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HeadGridModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const HeadCell &cell = m_content.cells[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return displayText(cell, index.column());
    case Qt::ToolTipRole:
        return plainTip(sentence(cell.head));
    case Qt::AccessibleTextRole:
        return sentence(cell.head);
    case Qt::TextAlignmentRole:
        return index.column() == HeadColumn || index.column() == RoleColumn
                 ? QVariant()
                 : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case HeadRefRole:
        return QVariant::fromValue(cell.head);
    case SortRole:
        return sortValue(cell, index.column());
    case ValueRole:
        return variantOf(cell.value);
    case IntervalLowRole:
        return variantOf(lowOf(cell));
    case IntervalHighRole:
        return variantOf(highOf(cell));
    case PRole:
        return variantOf(cell.p);
    case RankRole:
        return cell.rank;
    case CountRole:
        return static_cast<qlonglong>(m_content.examplesOf(cell));
    case MaskedRole:
        return isMasked(cell);
    case SignificantRole:
        return variantOf(cell.significant);
    case MissingRole:
        return !cell.value.has_value();
    default:
        return {};
    }
}

QVariant HeadGridModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (section == ValueColumn && !m_content.symbol.isEmpty())
        return m_content.symbol;
    return QStringList{tr("Head"),   tr("Value"),     tr("95 % from"), tr("to"),   tr("p"),     tr("p (Holm)"),
                       tr("p (BH)"), tr("McNemar p"), tr("Rank"),      tr("Role"), tr("Masked")}
        .value(section);
}

QString HeadGridModel::displayText(const HeadCell &cell, int column) const
{
    const auto number = [this](const std::optional<double> &value) {
        if (!value)
            return QString();
        return m_content.valueText(*value);
    };
    switch (column) {
    case HeadColumn:
        return GridContent::nameOf(cell);
    case ValueColumn:
        return number(cell.value);
    case LowColumn:
        return number(lowOf(cell));
    case HighColumn:
        return number(highOf(cell));
    case PColumn:
        return cell.p ? probabilityText(*cell.p) : QString();
    case HolmColumn:
        return cell.pAdjusted ? probabilityText(*cell.pAdjusted) : QString();
    case DiscoveryColumn:
        return cell.discoveryP ? probabilityText(*cell.discoveryP) : QString();
    case McNemarColumn:
        return cell.mcnemar ? probabilityText(*cell.mcnemar) : QString();
    case RankColumn:
        return cell.rank > 0 ? countText(cell.rank) : QString();
    case RoleColumn:
        return cell.roles.empty() ? QString() : tr("%1 %2").arg(roleMark(cell.roles), rolesText(cell.roles));
    case MaskedColumn:
        return isMasked(cell) ? tr("masked") : QString();
    default:
        return {};
    }
}

QVariant HeadGridModel::sortValue(const HeadCell &cell, int column) const
{
    switch (column) {
    case HeadColumn:
        return static_cast<qlonglong>(m_content.layout.indexOf(cell.head));
    case ValueColumn:
        return variantOf(cell.value);
    case LowColumn:
        return variantOf(lowOf(cell));
    case HighColumn:
        return variantOf(highOf(cell));
    case PColumn:
        return variantOf(cell.p);
    case HolmColumn:
        return variantOf(cell.pAdjusted);
    case DiscoveryColumn:
        return variantOf(cell.discoveryP);
    case McNemarColumn:
        return variantOf(cell.mcnemar);
    case RankColumn:
        return cell.rank > 0 ? QVariant(cell.rank) : QVariant();
    case RoleColumn:
        return roleSortValue(cell.roles);
    case MaskedColumn:
        return isMasked(cell) ? 1 : 0;
    default:
        return {};
    }
}

} // namespace headscope
