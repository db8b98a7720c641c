#include "ui/pages/training/epochmodel.h"

#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/pages/training/trainingtext.h"

#include <QDir>
#include <QFont>

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

std::size_t epochsOf(const std::shared_ptr<const TrainingReport> &report)
{
    return report ? report->epochs.size() : 0;
}

/// Whether `later` begins with the epochs of `earlier`.
bool continues(const TrainingReport &earlier, const TrainingReport &later)
{
    return earlier.folder == later.folder && earlier.epochs.size() <= later.epochs.size()
        && std::equal(earlier.epochs.begin(), earlier.epochs.end(), later.epochs.begin());
}
} // namespace

void EpochModel::setReport(std::shared_ptr<const TrainingReport> report)
{
    if (!report || !m_report || !continues(*m_report, *report)) {
        beginResetModel();
        m_report = std::move(report);
        m_bestRow = reportedBest();
        endResetModel();
        return;
    }
    const auto before = static_cast<int>(epochsOf(m_report));
    const auto after = static_cast<int>(epochsOf(report));
    if (after > before)
        beginInsertRows({}, before, after - 1);
    m_report = std::move(report);
    if (after > before)
        endInsertRows();
    const int bestBefore = std::exchange(m_bestRow, reportedBest());
    for (const int row : {bestBefore, m_bestRow}) {
        if (row >= 0 && bestBefore != m_bestRow)
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

int EpochModel::reportedBest() const
{
    return m_report && m_report->bestEpoch && *m_report->bestEpoch < m_report->epochs.size()
             ? static_cast<int>(*m_report->bestEpoch)
             : -1;
}

int EpochModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(epochsOf(m_report));
}

int EpochModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EpochModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const bool best = index.row() == bestRow();
    switch (role) {
    case Qt::DisplayRole:
        return cellText(index.row(), index.column());
    case Qt::ToolTipRole:
        return plainTip(toolTip(index.row()));
    case Qt::FontRole: {
        QFont font;
        font.setBold(true);
        return best ? QVariant(font) : QVariant();
    }
    case Qt::TextAlignmentRole:
        return index.column() == FolderColumn ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case FolderRole: {
        const TrainingEpoch &epoch = m_report->epochs[static_cast<std::size_t>(index.row())];
        return epoch.folder.empty() ? QString() : QString::fromStdString((m_report->folder / epoch.folder).string());
    }
    case BestRole:
        return best;
    default:
        return {};
    }
}

QString EpochModel::cellText(int row, int column) const
{
    const TrainingEpoch &epoch = m_report->epochs[static_cast<std::size_t>(row)];
    const auto optional = [](const std::optional<double> &value, int decimals) {
        return value ? numberText(*value, decimals) : QStringLiteral("–");
    };
    switch (column) {
    case EpochColumn:
        return row == bestRow() ? tr("★ best  %1").arg(countText(epoch.epoch)) : countText(epoch.epoch);
    case StepColumn:
        return countText(epoch.step);
    case TrainLossColumn:
        return numberText(epoch.trainLoss, kLossDecimals);
    case ValidationLossColumn:
        return optional(epoch.validationLoss, kLossDecimals);
    case ScoreColumn: {
        const ValueFormat format = metricFormat(QString::fromStdString(epoch.metric));
        return optional(epoch.score ? std::optional(*epoch.score * format.factor) : std::nullopt, format.decimals);
    }
    case SecondsColumn:
        return numberText(epoch.seconds, 0);
    case FolderColumn:
        return QString::fromStdString(epoch.folder);
    default:
        return {};
    }
}

QString EpochModel::toolTip(int row) const
{
    const QString folder = data(index(row, 0), FolderRole).toString();
    return folder.isEmpty() ? tr("This epoch's weights were not kept") : QDir::toNativeSeparators(folder);
}

QVariant EpochModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static const struct
    {
        const char *title;
        const char *meaning;
    } columns[ColumnCount] = {
        {QT_TR_NOOP("Epoch"), QT_TR_NOOP("Passes over the training text")},
        {QT_TR_NOOP("Update"), QT_TR_NOOP("Updates of the weights at the end of the epoch")},
        {QT_TR_NOOP("Training loss"), QT_TR_NOOP("Nats per target token, with dropout, mean over the epoch")},
        {QT_TR_NOOP("Validation loss"), QT_TR_NOOP("Nats per target token on the validation text, without dropout")},
        {QT_TR_NOOP("Score"), QT_TR_NOOP("Of the validation data: BLEU in points, accuracy in per cent")},
        {QT_TR_NOOP("Seconds"), QT_TR_NOOP("Training since the run began, without validation")},
        {QT_TR_NOOP("Folder"), QT_TR_NOOP("The epoch's model, a Hugging Face folder")},
    };
    if (section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return tr(columns[section].title);
    if (role == Qt::ToolTipRole)
        return tr(columns[section].meaning);
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == FolderColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

} // namespace headscope
