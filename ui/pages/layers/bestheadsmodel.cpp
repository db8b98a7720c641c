#include "ui/pages/layers/bestheadsmodel.h"

#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roles.h"

#include <QFont>

#include <algorithm>
#include <cstddef>

using namespace Qt::StringLiterals;

namespace headscope {

void BestHeadsModel::setResult(std::optional<BestHeadsResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    m_order.clear();
    for (std::size_t i = 0; m_result && i < m_result->layers.size(); ++i)
        m_order.push_back(i);
    // Kinds stay in their order, layers go upward.
    std::ranges::stable_sort(m_order, [this](std::size_t a, std::size_t b) {
        const BestHead &left = m_result->layers[a];
        const BestHead &right = m_result->layers[b];
        return left.kind != right.kind ? left.kind < right.kind : left.layer > right.layer;
    });
    endResetModel();
}

int BestHeadsModel::rowOf(std::size_t layer) const
{
    return static_cast<int>(std::ranges::find(m_order, layer) - m_order.begin());
}

int BestHeadsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->layers.size());
}

int BestHeadsModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    int heads = 0;
    if (m_result) {
        for (const BestHead &layer : m_result->layers) {
            for (const HeadAblation &head : layer.row)
                heads = std::max(heads, head.head.head + 1);
        }
    }
    return FirstHeadColumn + heads;
}

const HeadAblation *BestHeadsModel::cell(const QModelIndex &index) const
{
    if (!m_result || !index.isValid() || index.column() < FirstHeadColumn)
        return nullptr;
    const auto &row = m_result->layers[m_order[static_cast<std::size_t>(index.row())]].row;
    const int number = index.column() - FirstHeadColumn; // heads keep their numbers in layers that lack some
    const auto found = std::ranges::find_if(row, [&](const HeadAblation &head) { return head.head.head == number; });
    return found == row.end() ? nullptr : &*found;
}

std::optional<HeadRef> BestHeadsModel::headAt(const QModelIndex &index) const
{
    const HeadAblation *head = cell(index);
    return head ? std::optional(head->head) : std::nullopt;
}

QString BestHeadsModel::text(const BestHead &layer, int column) const
{
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->baseline.name));
    switch (column) {
    case LayerColumn:
        return tr("%1 %2").arg(headKindShortTitle(layer.kind)).arg(layer.layer);
    case BestColumn:
        return QString::number(layer.head.head);
    case DeltaColumn:
        return format.difference(layer.reported.delta);
    case IntervalColumn:
        return format.interval(layer.reported.interval, true);
    case PColumn:
        return probabilityText(layer.reported.p);
    case HolmColumn:
        return probabilityText(layer.reported.pAdjusted);
    case DiscoveryColumn:
        return layer.reported.discoveryP ? probabilityText(*layer.reported.discoveryP) : QString();
    default:
        return {};
    }
}

QString BestHeadsModel::toolTip(const BestHead &layer, const HeadAblation *head) const
{
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->baseline.name));
    const HeadAblation &shown = head ? *head : layer.reported;
    QString text = tr("Only head %1 of the layer is kept: %2 %3, %4 of examples changed")
                       .arg(QString::fromStdString(toText(shown.head)), QString::fromStdString(m_result->baseline.name),
                            format.score(shown.score), countText(shown.changed));
    if (shown.head == layer.head && !m_result->chosenOnReported)
        text += u'\n'
              + tr("Chosen on %1, where its difference is %2")
                    .arg(QString::fromStdString(m_result->chosenOn), format.difference(layer.chosenDelta));
    return text;
}

QVariant BestHeadsModel::data(const QModelIndex &index, int role) const
{
    if (!m_result || !index.isValid())
        return {};
    const BestHead &layer = m_result->layers[m_order[static_cast<std::size_t>(index.row())]];
    const HeadAblation *head = cell(index);
    const bool isBest = head && head->head == layer.head;
    switch (role) {
    case Qt::DisplayRole:
        if (head)
            return metricFormat(QString::fromStdString(m_result->baseline.name)).difference(head->delta);
        return text(layer, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((index.column() == LayerColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::FontRole: {
        QFont font;
        font.setBold(isBest);
        return isBest ? QVariant(font) : QVariant();
    }
    case Qt::ToolTipRole:
        return index.column() < FirstHeadColumn || head ? toolTip(layer, head) : QString();
    case ValueRole:
        return head ? QVariant(head->delta) : QVariant();
    case kIsBestRole:
        return isBest;
    default:
        return {};
    }
}

QVariant BestHeadsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == BestColumn)
        return tr("The head that does best alone");
    if (role == Qt::ToolTipRole && section == DeltaColumn)
        return m_result ? unitText({}, m_result->baseline.better) : QString();
    if (role == Qt::ToolTipRole && section == PColumn)
        return tr("Two-sided, paired bootstrap, not adjusted");
    if (role == Qt::ToolTipRole && section == HolmColumn)
        return tr("Adjusted for the number of layers (Holm)");
    if (role == Qt::ToolTipRole && section == DiscoveryColumn)
        return tr("Adjusted for the number of layers (Benjamini–Hochberg)");
    if (role == Qt::ToolTipRole && section >= FirstHeadColumn)
        return tr("What the score changes by when head %1 alone is left of a layer").arg(section - FirstHeadColumn);
    if (role != Qt::DisplayRole)
        return {};
    if (section >= FirstHeadColumn)
        return QString::number(section - FirstHeadColumn);
    const QString delta = m_result ? u"Δ "_s + QString::fromStdString(m_result->baseline.name) : u"Δ"_s;
    return QStringList{tr("Layer"), tr("Best"), delta, tr("95 % interval"), tr("p"), tr("Holm"), tr("BH")}.value(
        section);
}

} // namespace headscope
