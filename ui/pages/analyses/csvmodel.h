#pragma once

#include <QAbstractTableModel>

#include <string>
#include <vector>

namespace headscope {

/// A result's CSV as a table: what any analysis gives, without a view of its own. Cells that are numbers sort as
/// numbers.
class CsvModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CsvModel)
public:
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit CsvModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    /// The first line names the columns; empty: no table.
    void setCsv(const std::string &csv);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<std::vector<std::string>> m_rows; ///< the first: names of columns
};

} // namespace headscope
