#include "ui/models/speedmodel.h"

#include "ui/models/numbertext.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

constexpr int kVersionCount = static_cast<int>(kModelVersions.size());

/// Three digits that count.
int decimalsFor(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

QString spreadText(const Spread &spread)
{
    const int decimals = decimalsFor(spread.mean);
    const QString mean = numberText(spread.mean, decimals);
    return std::isnan(spread.deviation) ? mean : mean + QStringLiteral(" ±") + numberText(spread.deviation, decimals);
}

QString lengthsText(LengthPolicy policy)
{
    switch (policy) {
    case LengthPolicy::Bucketed:
        return SpeedModel::tr("similar lengths");
    case LengthPolicy::AsIs:
        return SpeedModel::tr("as they come");
    case LengthPolicy::Fixed:
        return SpeedModel::tr("one length");
    }
    return {};
}

} // namespace

void SpeedModel::setResult(std::shared_ptr<const SpeedResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

const SpeedRow &SpeedModel::row(int row, ModelVersion contender) const
{
    return m_result->rows[static_cast<std::size_t>(row * kVersionCount + static_cast<int>(contender))];
}

int SpeedModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->rows.size()) / kVersionCount;
}

int SpeedModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SpeedModel::cellText(int row, int column) const
{
    const SpeedRow &removed = this->row(row, ModelVersion::Removed);
    if (column == BatchColumn) {
        const auto other = [&](const SpeedRow &one) { return one.lengths != removed.lengths; };
        const QString size = countText(removed.batchSize);
        const bool several = std::ranges::any_of(m_result->rows, other);
        return several ? size + QStringLiteral(", ") + lengthsText(removed.lengths) : size;
    }
    if (column == GainColumn) { // of the means beside it; the tool tip shows that of the repeats
        const double original = this->row(row, ModelVersion::Original).examplesPerSecond.mean;
        return signedText(100 * (removed.examplesPerSecond.mean / original - 1), 1) + QStringLiteral(" %");
    }
    return spreadText(this->row(row, static_cast<ModelVersion>(column - OriginalColumn)).examplesPerSecond);
}

QString SpeedModel::toolTip(int row, int column) const
{
    if (column == BatchColumn)
        return tr("%1 examples in batches of %2 (%3)")
            .arg(countText(m_result->examples), countText(this->row(row, ModelVersion::Original).batchSize),
                 lengthsText(this->row(row, ModelVersion::Original).lengths));
    if (column == GainColumn) {
        const Spread &gain = this->row(row, ModelVersion::Removed).gain;
        return tr("Examples per second without the heads, compared with the full model in the same repeat: median %1 "
                  "%, middle half %2 % to %3 %")
            .arg(signedText(gain.median * 100, 1), signedText(gain.lower * 100, 1), signedText(gain.upper * 100, 1));
    }
    const SpeedRow &one = this->row(row, static_cast<ModelVersion>(column - OriginalColumn));
    const auto number = [](double value) { return numberText(value, decimalsFor(value)); };
    QString text = tr("%n repeat(s): median %1 examples/s, middle half %2 to %3; %4 %5 per second", nullptr,
                      static_cast<int>(one.seconds.size()))
                       .arg(number(one.examplesPerSecond.median), number(one.examplesPerSecond.lower),
                            number(one.examplesPerSecond.upper), number(one.tokensPerSecond.mean),
                            m_result->tokenUnit == "generated tokens" ? tr("generated tokens") : tr("input tokens"));
    if (one.peakBytes)
        text += tr("; %1 beside the weights").arg(QLocale().formattedDataSize(*one.peakBytes));
    return text;
}

QVariant SpeedModel::data(const QModelIndex &index, int role) const
{
    if (!m_result || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return cellText(index.row(), index.column());
    case Qt::ToolTipRole:
        return toolTip(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | (index.column() == BatchColumn ? Qt::AlignLeft : Qt::AlignRight));
    default:
        return {};
    }
}

QVariant SpeedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == BatchColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole && section != BatchColumn && section != GainColumn)
        return tr("Examples per second: mean and standard deviation over the repeats");
    if (role != Qt::DisplayRole)
        return {};
    return QStringList{tr("Batch"), tr("Whole, ex./s"), tr("Masked, ex./s"), tr("Removed, ex./s"), tr("Gain")}.value(
        section);
}

} // namespace headscope
