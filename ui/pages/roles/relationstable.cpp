#include "ui/pages/roles/relationstable.h"

#include "ui/models/numbertext.h"
#include "ui/models/roles.h"
#include "ui/models/roletext.h"
#include "ui/views/pageparts.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QStandardItemModel>

namespace headscope {
namespace {

QStandardItem *item(const QString &text, const QVariant &sort, const HeadRef &head, bool isNumber)
{
    auto *cell = new QStandardItem(text);
    cell->setEditable(false);
    cell->setData(sort, SortRole);
    cell->setData(QVariant::fromValue(head), HeadRefRole);
    if (isNumber)
        cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return cell;
}

} // namespace

RelationsTable::RelationsTable(QWidget *parent) : QTableView(parent), m_model(new QStandardItemModel(this))
{
    m_model->setSortRole(SortRole);
    setModel(m_model);
    setUpRowTable(*this);
    setSelectionMode(SingleSelection);
    setSortingEnabled(true);
    setAccessibleName(tr("Best head of every dependency relation"));
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &index) {
        if (index.isValid() && !m_filling)
            Q_EMIT headChosen(index.data(HeadRefRole).value<HeadRef>());
    });
    connect(this, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT headActivated(index.data(HeadRefRole).value<HeadRef>()); });
}

void RelationsTable::setResult(const std::shared_ptr<const RolesResult> &result, const RoleThresholds &thresholds)
{
    const QScopedValueRollback filling(m_filling, true);
    m_model->clear();
    m_model->setHorizontalHeaderLabels(
        {tr("Relation"), tr("Direction"), tr("Words"), tr("Best head"), tr("Accuracy"), tr("Best offset"), tr("Gain")});
    m_model->horizontalHeaderItem(BaselineColumn)
        ->setToolTip(tr("Accuracy of always pointing this many words away: the best of all fixed offsets"));
    m_model->horizontalHeaderItem(GainColumn)->setToolTip(tr("Points of the best head over the best offset"));
    for (std::size_t i = 0; result && i < result->relations.size(); ++i) {
        const RelationDirection &relation = result->relations[i];
        const HeadRoleScores *best = bestHeadOf(*result, i);
        if (!best)
            continue;
        const double accuracy = accuracyOf(*result, *best, i);
        const QString name = QString::fromStdString(relation.relation);
        const QString direction
            = relation.direction == ArcDirection::DependentToHead ? tr("to head") : tr("to dependent");
        const QString baseline
            = tr("%1 (%2)").arg(shareText(relation.baseline), signedText(relation.baselineOffset, 0));
        QList<QStandardItem *> row{
            item(name, name, best->head, false),
            item(direction, direction, best->head, false),
            item(countText(relation.instances), static_cast<qlonglong>(relation.instances), best->head, true),
            item(QString::fromStdString(toText(best->head)), static_cast<int>(best - result->heads.data()), best->head,
                 false),
            item(shareText(accuracy), accuracy, best->head, true),
            item(baseline, relation.baseline, best->head, true),
            item(signedText(100 * (accuracy - relation.baseline), 1), accuracy - relation.baseline, best->head, true)};
        if (relation.instances < thresholds.instances) {
            for (QStandardItem *cell : row)
                cell->setEnabled(false);
        }
        m_model->appendRow(row);
    }
    m_model->sort(horizontalHeader()->sortIndicatorSection(), horizontalHeader()->sortIndicatorOrder());
}

} // namespace headscope
