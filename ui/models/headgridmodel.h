#pragma once

#include "ui/models/gridcontent.h"
#include "ui/models/roles.h"

#include <QAbstractTableModel>

#include <set>

namespace headscope {

/// One row per head: the model of the grid and of its table. All roles of ui/models/roles.h answer in every
/// column; the tool tip is a sentence with everything known of the head.
class HeadGridModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadGridModel)
public:
    enum Column {
        HeadColumn,
        ValueColumn,
        LowColumn,
        HighColumn,
        PColumn,
        HolmColumn,
        DiscoveryColumn,
        McNemarColumn, ///< empty where outputs are not right or wrong
        RankColumn,
        RoleColumn, ///< empty where roles are not computed
        MaskedColumn,
        ColumnCount
    };

    explicit HeadGridModel(QObject *parent = nullptr);

    const GridContent &content() const { return m_content; }
    const HeadMask &mask() const { return m_mask; }
    void setContent(GridContent content);
    void setMask(const HeadMask &mask);
    const std::set<HeadRef> &pins() const { return m_pins; }
    void setPins(const std::set<HeadRef> &pins);

    QModelIndex indexOf(const HeadRef &head, int column = ValueColumn) const; ///< invalid: no such head
    /// "encoder.2.6: Δ BLEU −0.53 [−0.81, −0.24], p 0.002 (Holm 0.19), rank 4 of 96, 1,000 examples,
    /// positional −1 (94 %), masked"
    QString sentence(const HeadRef &head) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void contentChanged(); ///< values, layout or measure: legends and titles too

private:
    QString displayText(const HeadCell &cell, int column) const;
    bool isMasked(const HeadCell &cell) const;
    QVariant sortValue(const HeadCell &cell, int column) const;

    GridContent m_content;
    HeadMask m_mask;
    std::set<HeadRef> m_pins;
};

} // namespace headscope

Q_DECLARE_METATYPE(headscope::HeadRef)
