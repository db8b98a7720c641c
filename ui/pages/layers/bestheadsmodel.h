#pragma once

#include "core/results/bestheads.h"

#include <QAbstractTableModel>

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope {

/// One head alone in a layer, as Tables 2 and 3 of Michel et al. (2019) show it: a row for every layer, the last layer
/// of each kind of attention above as in the grid of heads; its best head and what the rest of the model loses with it,
/// then what it loses with each of the layer's heads.
class BestHeadsModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(BestHeadsModel)
public:
    enum Column {
        LayerColumn,
        BestColumn,
        DeltaColumn,
        IntervalColumn,
        PColumn,
        HolmColumn,      ///< over the layers of the table
        DiscoveryColumn, ///< the same by Benjamini and Hochberg
        FirstHeadColumn
    };
    /// Beside ValueRole (the difference): whether a head's cell is of the layer's best one.
    static constexpr int kIsBestRole = Qt::UserRole + 100;

    explicit BestHeadsModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setResult(std::optional<BestHeadsResult> result);
    const std::optional<BestHeadsResult> &result() const { return m_result; }
    /// Of a layer of result(), by its place there.
    int rowOf(std::size_t layer) const;
    /// The head of a head's cell.
    std::optional<HeadRef> headAt(const QModelIndex &index) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const HeadAblation *cell(const QModelIndex &index) const;
    QString text(const BestHead &layer, int column) const;
    QString toolTip(const BestHead &layer, const HeadAblation *head) const;

    std::optional<BestHeadsResult> m_result;
    std::vector<std::size_t> m_order; ///< for each row, the layer of the result
};

} // namespace headscope
