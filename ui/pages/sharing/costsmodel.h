#pragma once

#include "core/results/collaborateresult.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace headscope {

/// What models with shared projections cost: a row for each that was scored, the model as it is first.
class CostsModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CostsModel)
public:
    enum Column {
        NameColumn,
        ScoreColumn,
        ParametersColumn,
        ProjectionsColumn,  ///< parameters of query and key projections
        CompressionColumn,  ///< of these, against the model as it is
        MultiplyAddsColumn, ///< of scores
        BreakEvenColumn,
        SecondsColumn,
        ColumnCount
    };

    explicit CostsModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    /// `length`: tokens that multiply-adds are of; 0: not known.
    void setPoints(std::vector<SharedPoint> points, std::int64_t length, const QString &metric);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const SharedPoint &point, int column) const;

    std::vector<SharedPoint> m_points;
    std::int64_t m_length = 0;
    QString m_metric;
};

} // namespace headscope
