#pragma once

#include "core/results/interactionsresult.h"
#include "ui/models/roles.h"
#include "ui/models/significance.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// What an interaction says, by the study's convention of significance.
enum class PairVerdict { Redundant, Synergetic, Unclear };

/// The interactions of a result, a row each: its pairs, then its triples. SortRole answers in every column.
class PairsModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PairsModel)
public:
    enum Column {
        HeadsColumn,
        InteractionColumn,
        IntervalColumn,
        TogetherColumn,
        AloneColumn,
        DiscoveryColumn,
        VerdictColumn,
        ColumnCount
    };
    static constexpr int kHeadsRole = Qt::UserRole + 100; ///< QVariant of std::vector<HeadRef>

    /// An interaction, of two heads or three.
    struct Row
    {
        std::vector<HeadRef> heads;
        double interaction = 0;
        double together = 0; ///< Δ without all of them
        double alone = 0;    ///< the sum of the Δ of each
        Interval interval{};
        double p = 1;
        double discoveryP = 1;
        PairVerdict verdict = PairVerdict::Unclear;
    };

    explicit PairsModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setResult(std::shared_ptr<const InteractionsResult> result, const Significance &by);
    const std::vector<Row> &rows() const { return m_rows; }
    int rowOf(const std::vector<HeadRef> &heads) const; ///< −1: there is none

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const Row &row, int column) const;
    QString tip(const Row &row) const;
    QVariant sortValue(const Row &row, int column) const;

    std::shared_ptr<const InteractionsResult> m_result;
    std::vector<Row> m_rows;
};

/// "stand in for each other"
QString verdictText(PairVerdict verdict);

} // namespace headscope

Q_DECLARE_METATYPE(std::vector<headscope::HeadRef>)
