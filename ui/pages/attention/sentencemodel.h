#pragma once

#include "core/base/problemtype.h"
#include "core/data/datasource.h"
#include "core/results/evaluationresult.h"
#include "core/results/results.h"

#include <QAbstractListModel>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// The sentences of a data set, or its texts and text pairs. Rows are read when they are first asked for.
class SentenceModel final : public QAbstractListModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SentenceModel)
public:
    enum Role {
        RowRole = Qt::UserRole + 1, ///< row of the data set, from 0
        SearchRole,                 ///< source, second text, reference or label, and output
        WordsRole,                  ///< words of the source and of the second text
        ChangedRole,                ///< 1 when the mask changes the output, 0 otherwise
        ChangeRole,                 ///< how much the mask changes the output, 0 … 1; −1: not known
        LossRole,  ///< how little the model expects what is right, or its own translation; −1: not known
        WrongRole, ///< 1 when a classifier is wrong, under the mask if there is one; 0 otherwise
    };

    explicit SentenceModel(QObject *parent = nullptr);

    using Reader = std::function<DataRow(std::int64_t)>;
    void setSentences(std::int64_t count, Reader reader);
    /// Outputs of the full model and under the mask; either may be null. `problem` is that of a classifier.
    void setOutputs(std::shared_ptr<const EvaluationResult> whole, std::shared_ptr<const EvaluationResult> masked,
                    ProblemType problem = ProblemType::SingleLabel);

    const DataRow &sentence(std::int64_t row) const;
    /// Null while unknown.
    const ExampleOutput *wholeOutput(std::int64_t row) const
    {
        return m_whole.outputs.at(static_cast<std::size_t>(row));
    }
    const ExampleOutput *maskedOutput(std::int64_t row) const
    {
        return m_masked.outputs.at(static_cast<std::size_t>(row));
    }
    bool isChanged(std::int64_t row) const;
    bool isWrong(std::int64_t row) const;
    /// 0 … 1: share of words that differ, or by how much the probability of the label moves; nothing: not known.
    std::optional<double> change(std::int64_t row) const;
    /// Of the full model, or under the mask where that is known: −ln p of the right label, or −ln p for each token of
    /// the text or of the translation. Nothing: not known.
    std::optional<double> loss(std::int64_t row) const;
    std::int64_t changedCount() const;
    std::int64_t comparedCount() const; ///< outputs with and without the masks are known
    std::int64_t wrongCount() const;
    /// Whether outputs are right or wrong at all.
    bool hasCorrectness() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    struct Outputs
    {
        std::shared_ptr<const EvaluationResult> result;
        std::vector<const ExampleOutput *> outputs; ///< per row, in `result`
    };

    Outputs byRow(std::shared_ptr<const EvaluationResult> result) const;
    QString text(std::int64_t row) const;
    std::optional<bool> rightness(std::int64_t row) const;
    QString marks(std::int64_t row) const;
    QString remarks(std::int64_t row) const;

    Reader m_reader;
    mutable std::vector<std::optional<DataRow>> m_rows;
    Outputs m_whole;
    Outputs m_masked;
    ProblemType m_problem = ProblemType::SingleLabel;
};

} // namespace headscope
