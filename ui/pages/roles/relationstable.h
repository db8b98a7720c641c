#pragma once

#include "core/results/roles.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals

#include <QTableView>

#include <memory>

class QStandardItemModel;

namespace headscope {

/// The best head of every dependency relation beside the best fixed offset (Clark et al. 2019, Table 1): a sortable row
/// for each relation and direction. A chosen row selects its head.
class RelationsTable final : public QTableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RelationsTable)
public:
    enum Column {
        RelationColumn,
        DirectionColumn,
        WordsColumn,
        HeadColumn,
        AccuracyColumn,
        BaselineColumn,
        GainColumn
    };

    explicit RelationsTable(QWidget *parent = nullptr);

    /// Null: not computed. Relations of fewer words than the thresholds ask for are dimmed.
    void setResult(const std::shared_ptr<const RolesResult> &result, const RoleThresholds &thresholds);

Q_SIGNALS:
    void headChosen(const headscope::HeadRef &head);
    void headActivated(const headscope::HeadRef &head);

private:
    QStandardItemModel *m_model;
    bool m_filling = false;
};

} // namespace headscope
