#pragma once

#include "core/results/speedresult.h"

#include <QAbstractTableModel>

#include <memory>

namespace headscope {

/// A measurement of speed as its paper shows it: a row for every batch size (and way of batching, where there are
/// several), examples per second of the three contenders.
class SpeedModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SpeedModel)
public:
    enum Column {
        BatchColumn,
        OriginalColumn, ///< the three in the order of ModelVersion
        MaskedColumn,
        RemovedColumn,
        GainColumn, ///< of the removed one over the original
        ColumnCount
    };

    explicit SpeedModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    /// Null empties the table.
    void setResult(std::shared_ptr<const SpeedResult> result);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const SpeedRow &row(int row, ModelVersion contender) const;
    QString cellText(int row, int column) const;
    QString toolTip(int row, int column) const;

    std::shared_ptr<const SpeedResult> m_result;
};

} // namespace headscope
