#pragma once

#include "core/train/trainingreport.h"

#include <QAbstractTableModel>

#include <memory>

namespace headscope {

/// The epochs of a training run, in their order.
class EpochModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EpochModel)
public:
    enum Column {
        EpochColumn,
        StepColumn,
        TrainLossColumn,
        ValidationLossColumn,
        ScoreColumn,
        SecondsColumn,
        FolderColumn,
        ColumnCount
    };
    enum Role {
        FolderRole = Qt::UserRole + 1, ///< absolute path of the epoch's model
        BestRole                       ///< bool
    };

    explicit EpochModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    /// Null empties the table. A later report of the same run adds rows and leaves the others where they are.
    void setReport(std::shared_ptr<const TrainingReport> report);
    /// The row of the best epoch, −1 = none.
    int bestRow() const { return m_bestRow; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int reportedBest() const;
    QString cellText(int row, int column) const;
    QString toolTip(int row) const;

    std::shared_ptr<const TrainingReport> m_report;
    int m_bestRow = -1; ///< changes after rows were added, not while
};

} // namespace headscope
