#pragma once

#include "ui/pages/search/searchmethods.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <optional>

namespace headscope {

/// The budgets of a mask search, a row each.
class SearchModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SearchModel)
public:
    enum Column {
        RemovedColumn,
        AttentionColumn,   ///< share of attention's multiply-adds that is left
        FirstMethodColumn, ///< score and difference, a column for each method
        LayersColumn = FirstMethodColumn + static_cast<int>(kSearchMethods.size()),
        ColumnCount
    };

    explicit SearchModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    void setResult(std::shared_ptr<const SearchResult> result);
    const std::shared_ptr<const SearchResult> &result() const { return m_result; }
    const SearchPoint *point(int row) const; ///< null: no such row
    int rowOf(std::int64_t pruned) const;    ///< −1: no such budget
    /// Whose numbers a column has.
    static std::optional<SearchMethod> methodOf(int column);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const SearchPoint &point, int column) const;
    QString toolTip(const SearchPoint &point, int column) const;

    std::shared_ptr<const SearchResult> m_result;
};

} // namespace headscope
