#pragma once

#include "core/data/datasource.h"
#include "core/results/results.h"

#include <QAbstractListModel>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// The sentences of a data set. Rows are read when they are first asked for.
class SentenceModel final : public QAbstractListModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SentenceModel)
public:
    enum Role {
        RowRole = Qt::UserRole + 1, ///< row of the data set, from 0
        SearchRole,                 ///< source, reference and output
        WordsRole,                  ///< words of the source
        ChangedRole,                ///< 1 when the mask changes the output, 0 otherwise
    };

    explicit SentenceModel(QObject *parent = nullptr);

    using Reader = std::function<DataRow(std::int64_t)>;
    void setSentences(std::int64_t count, Reader reader);
    /// Outputs of the whole model and under the mask; either may be null.
    void setOutputs(const EvaluationResult *whole, const EvaluationResult *masked);

    const DataRow &sentence(std::int64_t row) const;
    /// Empty while unknown.
    QString wholeOutput(std::int64_t row) const;
    std::optional<QString> maskedOutput(std::int64_t row) const;
    bool isChanged(std::int64_t row) const;
    std::int64_t changedCount() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    using Outputs = std::vector<std::optional<std::string>>;

    Reader m_reader;
    mutable std::vector<std::optional<DataRow>> m_rows;
    Outputs m_whole;
    Outputs m_masked;
};

} // namespace headscope
