#pragma once

#include "core/base/headref.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "ui/models/roles.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// One row per head with its role and what it rests on. SortRole, HeadRefRole and kLetterRole answer in every
/// column.
class RolesTableModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RolesTableModel)
public:
    enum Column {
        HeadColumn,
        RoleColumn,
        ScoreColumn,
        ExpectedColumn,
        InstancesColumn,
        ConfidenceColumn,
        RelevanceColumn,
        SecondColumn,   ///< the best supported label of another role
        DetectorColumn, ///< the first of those for RoleDetector, in its order
        ColumnCount = DetectorColumn + EnumNames<RoleDetector>::values.size()
    };
    static constexpr int kLetterRole = Qt::UserRole + 100; ///< "P"; empty: no role. For filters
    static constexpr int kMarkRole = kLetterRole + 1;      ///< "P?"
    static constexpr int kRoleRole = kLetterRole + 2;      ///< Role as int; invalid: none

    explicit RolesTableModel(QObject *parent = nullptr);

    /// What is not computed is null; without roles the heads of `relevance` are listed. `assigned` is in the order of
    /// roles->heads.
    void setResults(std::shared_ptr<const RolesResult> roles, std::shared_ptr<const std::vector<HeadRoles>> assigned,
                    std::shared_ptr<const RelevanceResult> relevance);
    QModelIndex indexOf(const HeadRef &head) const; ///< invalid: no such head

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        HeadRef head;
        std::vector<RoleLabel> labels{}; ///< supported ones
        const RoleLabel *second = nullptr;
        std::optional<double> confidence{};
        std::optional<double> relevance{};
        double relevanceHalf = 0;
        std::vector<RoleDetectorScore> detectors{};

        const RoleDetectorScore *detector(int column) const; ///< null: the head has none, or the column is another
        const RoleLabel *label() const { return labels.empty() ? nullptr : &labels.front(); }
    };
    /// `roles`, `assigned`, `relevance`: null where they are not known.
    static std::vector<Row> rowsOf(const RolesResult *roles, const std::vector<HeadRoles> *assigned,
                                   const RelevanceResult *relevance);
    QVariant testHeader(RoleDetector detector, int role) const;
    QString text(const Row &row, int column) const;
    QVariant sortValue(const Row &row, int column) const;
    QString tip(const Row &row) const;

    std::vector<Row> m_rows;
};

} // namespace headscope
