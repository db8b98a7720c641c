#include "ui/pages/roles/rolestablemodel.h"

#include "ui/models/headgridmodel.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/roletext.h"

#include <QFont>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace headscope {

namespace {
constexpr double kSignificant = 0.05;
}

RolesTableModel::RolesTableModel(QObject *parent) : QAbstractTableModel(parent) { }

std::vector<RolesTableModel::Row> RolesTableModel::rowsOf(const RolesResult *roles,
                                                          const std::vector<HeadRoles> *assigned,
                                                          const RelevanceResult *relevance)
{
    std::map<HeadRef, const HeadRelevance *> relevances;
    if (relevance) {
        for (const HeadRelevance &entry : relevance->heads)
            relevances[entry.head] = &entry;
    }
    std::vector<Row> rows;
    for (std::size_t i = 0; roles && i < roles->heads.size(); ++i) {
        Row row;
        row.head = roles->heads[i].head;
        row.confidence = roles->heads[i].confidence;
        row.detectors = roles->heads[i].detectors;
        if (assigned && i < assigned->size())
            row.labels = (*assigned)[i].supported();
        if (const auto found = relevances.find(row.head); found != relevances.end()) {
            row.relevance = found->second->relevance;
            row.relevanceHalf = relevanceHalf(found->second->standardError, relevance->examples);
        }
        rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; !roles && relevance && i < relevance->heads.size(); ++i) {
        const HeadRelevance &entry = relevance->heads[i];
        rows.push_back({.head = entry.head,
                        .relevance = entry.relevance,
                        .relevanceHalf = relevanceHalf(entry.standardError, relevance->examples)});
    }
    return rows;
}

void RolesTableModel::setResults(std::shared_ptr<const RolesResult> roles,
                                 std::shared_ptr<const std::vector<HeadRoles>> assigned,
                                 std::shared_ptr<const RelevanceResult> relevance)
{
    std::vector<Row> rows = rowsOf(roles.get(), assigned.get(), relevance.get());
    for (Row &row : rows) { // rows stay where they are from here on
        const auto other = std::ranges::find_if(
            row.labels, [&](const RoleLabel &label) { return label.role != row.labels.front().role; });
        row.second = other == row.labels.end() ? nullptr : &*other;
    }
    // The heads have not changed: selection and scroll position stay.
    const bool same = std::ranges::equal(rows, m_rows, {}, &Row::head, &Row::head);
    if (!same)
        beginResetModel();
    m_rows = std::move(rows);
    if (!same)
        endResetModel();
    else if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QModelIndex RolesTableModel::indexOf(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_rows, head, &Row::head);
    return found == m_rows.end() ? QModelIndex() : index(static_cast<int>(found - m_rows.begin()), 0);
}

int RolesTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RolesTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RolesTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return plainTip(tip(row));
    case Qt::AccessibleTextRole:
        return tip(row);
    case Qt::TextAlignmentRole:
        if (index.column() == HeadColumn || index.column() == RoleColumn || index.column() == SecondColumn)
            return {};
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case HeadRefRole:
        return QVariant::fromValue(row.head);
    case SortRole:
        return sortValue(row, index.column());
    case Qt::FontRole:
        if (const RoleDetectorScore *detector = row.detector(index.column());
            detector && detector->pAdjusted < kSignificant) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case kLetterRole:
        return row.label() ? QString(QLatin1Char(roleLetter(row.label()->role))) : QString();
    case kMarkRole:
        return roleMark(row.labels);
    case kRoleRole:
        return row.label() ? QVariant(static_cast<int>(row.label()->role)) : QVariant();
    default:
        return {};
    }
}

const RoleDetectorScore *RolesTableModel::Row::detector(int column) const
{
    const auto found = std::ranges::find(detectors, static_cast<RoleDetector>(column - DetectorColumn),
                                         &RoleDetectorScore::detector);
    return column < DetectorColumn || found == detectors.end() ? nullptr : &*found;
}

/// Of the column with the test of a role.
QVariant RolesTableModel::testHeader(RoleDetector detector, int role) const
{
    static constexpr std::array kTips{
        QT_TR_NOOP("the tokens of words that the dependency tree links to the query's word"),
        QT_TR_NOOP("the query and two tokens on either side"),
        QT_TR_NOOP("the tokens of the query's own text of a pair"), QT_TR_NOOP("special tokens")};
    if (role == Qt::DisplayRole)
        return tr("%1 test").arg(roleDetectorTitle(detector));
    if (role == Qt::ToolTipRole)
        return tr("How many times as much attention %1 get as if all keys got the same, mean over sentences; p of a t-test "
                  "that it is no more than the threshold (Holm over all heads and roles; Pande et al. 2021). Bold: p < 0.05")
            .arg(tr(kTips[static_cast<std::size_t>(detector)]));
    return {};
}

QVariant RolesTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static const struct
    {
        const char *name;
        const char *tip;
    } kHeaders[] = {
        {QT_TR_NOOP("Head"), QT_TR_NOOP("Kind, layer and head, counted from 0")},
        {QT_TR_NOOP("Role"), QT_TR_NOOP("The first label that passes the thresholds")},
        {QT_TR_NOOP("Score"),
         QT_TR_NOOP("How often, or with how much of its attention, the head acts as the role describes")},
        {QT_TR_NOOP("By chance"),
         QT_TR_NOOP("The value without any preference: the best fixed offset (syntactic), uniform attention "
                    "(others)")},
        {QT_TR_NOOP("n"), QT_TR_NOOP("Instances that the score rests on")},
        {QT_TR_NOOP("Confidence"), QT_TR_NOOP("Mean of the largest weight")},
        {QT_TR_NOOP("Relevance"), QT_TR_NOOP("Share of its layer’s relevance for the model's outputs")},
        {QT_TR_NOOP("Also"), QT_TR_NOOP("The best label of another role that passes too")},
    };
    if (section < 0 || section >= ColumnCount)
        return {};
    if (section >= DetectorColumn)
        return testHeader(static_cast<RoleDetector>(section - DetectorColumn), role);
    if (role == Qt::DisplayRole)
        return tr(kHeaders[section].name);
    if (role == Qt::ToolTipRole)
        return tr(kHeaders[section].tip);
    return {};
}

QString RolesTableModel::text(const Row &row, int column) const
{
    const RoleLabel *label = row.label();
    switch (column) {
    case HeadColumn:
        return QString::fromStdString(toText(row.head));
    case RoleColumn:
        return label ? roleLabelName(*label) : tr("–");
    case ScoreColumn:
        return label ? shareText(label->score) : QString();
    case ExpectedColumn:
        return label ? shareText(label->expected) : QString();
    case InstancesColumn:
        return label ? countText(label->instances) : QString();
    case ConfidenceColumn:
        return row.confidence ? numberText(*row.confidence, 2) : QString();
    case RelevanceColumn:
        return row.relevance ? numberText(*row.relevance, 3) : QString();
    case SecondColumn:
        return row.second ? roleLabelText(*row.second) : QString();
    default:
        return row.detector(column) ? roleDetectorText(*row.detector(column)) : QString();
    }
}

QVariant RolesTableModel::sortValue(const Row &row, int column) const
{
    const RoleLabel *label = row.label();
    switch (column) {
    case HeadColumn:
        return static_cast<int>(&row - m_rows.data());
    case RoleColumn:
        return roleSortValue(row.labels);
    case ScoreColumn:
        return label ? label->score : -1;
    case ExpectedColumn:
        return label ? label->expected : -1;
    case InstancesColumn:
        return label ? static_cast<qlonglong>(label->instances) : -1;
    case ConfidenceColumn:
        return row.confidence ? QVariant(*row.confidence) : QVariant();
    case RelevanceColumn:
        return row.relevance ? QVariant(*row.relevance) : QVariant();
    case SecondColumn:
        return row.second ? roleSortValue({*row.second}) : roleSortValue({});
    default:
        return row.detector(column) ? row.detector(column)->score : -1;
    }
}

QString RolesTableModel::tip(const Row &row) const
{
    QString said = QString::fromStdString(toText(row.head)) + QStringLiteral(": ");
    said += row.labels.empty() ? tr("no role") : rolesText(row.labels);
    if (row.confidence)
        said += tr(", confidence %1").arg(numberText(*row.confidence, 3));
    if (row.relevance)
        said += QStringLiteral(", ") + relevanceText(*row.relevance, row.relevanceHalf);
    for (const RoleDetectorScore &score : row.detectors)
        said += tr(", %1 test %2").arg(roleDetectorTitle(score.detector).toLower(), roleDetectorText(score));
    return said;
}

} // namespace headscope
