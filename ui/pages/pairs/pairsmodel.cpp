#include "ui/pages/pairs/pairsmodel.h"

#include "ui/models/numbertext.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

template<typename Interaction>
PairsModel::Row rowFor(const Interaction &one, std::vector<HeadRef> heads, const std::map<HeadRef, double> &alone,
                       Better better, const Significance &by)
{
    PairsModel::Row row{.heads = std::move(heads),
                        .interaction = one.interaction,
                        .together = one.together,
                        .interval = one.interval,
                        .p = one.p,
                        .discoveryP = one.discoveryP};
    for (const HeadRef &head : row.heads) {
        if (const auto found = alone.find(head); found != alone.end())
            row.alone += found->second;
    }
    const bool tested = std::isfinite(one.interval.low) && std::isfinite(one.interval.high);
    if (tested && by.holds(one.p, std::nullopt, one.discoveryP).value_or(false))
        row.verdict = isWorse(better, one.interaction) ? PairVerdict::Redundant : PairVerdict::Synergetic;
    return row;
}

} // namespace

QString verdictText(PairVerdict verdict)
{
    switch (verdict) {
    case PairVerdict::Redundant:
        return PairsModel::tr("stand in for each other");
    case PairVerdict::Synergetic:
        return PairsModel::tr("need each other");
    case PairVerdict::Unclear:
        break;
    }
    return PairsModel::tr("may be chance");
}

void PairsModel::setResult(std::shared_ptr<const InteractionsResult> result, const Significance &by)
{
    beginResetModel();
    m_result = std::move(result);
    m_rows.clear();
    if (m_result) {
        std::map<HeadRef, double> alone;
        for (const HeadAlone &head : m_result->heads)
            alone[head.head] = head.delta;
        for (const HeadInteraction &pair : m_result->pairs)
            m_rows.push_back(rowFor(pair, {pair.head, pair.other}, alone, m_result->better, by));
        for (const TripleInteraction &triple : m_result->triples)
            m_rows.push_back(rowFor(triple, {triple.head, triple.other, triple.third}, alone, m_result->better, by));
    }
    endResetModel();
}

int PairsModel::rowOf(const std::vector<HeadRef> &heads) const
{
    const auto found = std::ranges::find(m_rows, heads, &Row::heads);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int PairsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PairsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PairsModel::text(const Row &row, int column) const
{
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->metric));
    const bool tested = std::isfinite(row.interval.low) && std::isfinite(row.interval.high);
    switch (column) {
    case HeadsColumn: {
        QStringList names;
        for (const HeadRef &head : row.heads)
            names << QString::fromStdString(toText(head));
        return names.join(u" + "_s);
    }
    case InteractionColumn:
        return format.difference(row.interaction);
    case IntervalColumn:
        return tested ? format.interval(row.interval, true) : QString();
    case TogetherColumn:
        return format.difference(row.together);
    case AloneColumn:
        return format.difference(row.alone);
    case DiscoveryColumn:
        return tested ? probabilityText(row.discoveryP) : QString();
    case VerdictColumn:
        return tested ? verdictText(row.verdict) : QString();
    default:
        return {};
    }
}

QString PairsModel::tip(const Row &row) const
{
    const QString metric = QString::fromStdString(m_result->metric);
    return row.heads.size() == 2
             ? tr("Without both: %1 %2. Without each by itself: %3 in sum. The difference is their interaction.")
                   .arg(metric, text(row, TogetherColumn), text(row, AloneColumn))
             : tr("Without all three: %1 %2. Their interaction is what no two of them account for.")
                   .arg(metric, text(row, TogetherColumn));
}

QVariant PairsModel::sortValue(const Row &row, int column) const
{
    switch (column) {
    case InteractionColumn:
        return row.interaction;
    case IntervalColumn:
        return row.interval.high - row.interval.low;
    case TogetherColumn:
        return row.together;
    case AloneColumn:
        return row.alone;
    case DiscoveryColumn:
        return row.discoveryP;
    case VerdictColumn: // verdicts apart, and the largest of each first
        return (row.verdict == PairVerdict::Unclear      ? 2.0
                : row.verdict == PairVerdict::Synergetic ? 1.0
                                                         : 0.0)
             - 1e-3 * std::min(1.0, std::abs(row.interaction));
    default:
        return text(row, column);
    }
}

QVariant PairsModel::data(const QModelIndex &index, int role) const
{
    if (!m_result || !index.isValid())
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isText = index.column() == HeadsColumn || index.column() == VerdictColumn;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return tip(row);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case SortRole:
        return sortValue(row, index.column());
    case kHeadsRole:
        return QVariant::fromValue(row.heads);
    default:
        return {};
    }
}

QVariant PairsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString metric = m_result ? QString::fromStdString(m_result->metric) : QString();
    if (role == Qt::DisplayRole)
        return QStringList{tr("Heads"),           tr("Interaction"), tr("95 % interval"), tr("Δ together"),
                           tr("Δ alone, in sum"), tr("BH"),          tr("They")}
            .value(section);
    if (role != Qt::ToolTipRole)
        return {};
    return QStringList{
        QString(),
        tr("Δ %1 without all of them minus what is known of fewer: of two heads, the Δ of each").arg(metric),
        tr("Paired bootstrap over examples"),
        tr("Δ %1 without all of them").arg(metric),
        tr("Δ %1 without each by itself, added up: what single ablation says").arg(metric),
        tr("Adjusted for the number of pairs, or of triples (Benjamini–Hochberg)"),
    }
        .value(section);
}

} // namespace headscope
