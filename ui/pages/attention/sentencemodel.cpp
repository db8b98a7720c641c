#include "ui/pages/attention/sentencemodel.h"

#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"

#include <QLocale>

using namespace Qt::StringLiterals;

namespace headscope {

SentenceModel::SentenceModel(QObject *parent) : QAbstractListModel(parent) { }

void SentenceModel::setSentences(std::int64_t count, Reader reader)
{
    beginResetModel();
    m_reader = std::move(reader);
    m_rows.assign(static_cast<std::size_t>(count), {});
    m_whole = byRow(nullptr);
    m_masked = byRow(nullptr);
    endResetModel();
}

SentenceModel::Outputs SentenceModel::byRow(std::shared_ptr<const EvaluationResult> result) const
{
    Outputs outputs{std::move(result), std::vector<const ExampleOutput *>(m_rows.size(), nullptr)};
    if (!outputs.result)
        return outputs;
    for (const ExampleOutput &output : outputs.result->outputs) {
        if (output.index >= 0 && static_cast<std::size_t>(output.index) < m_rows.size())
            outputs.outputs[static_cast<std::size_t>(output.index)] = &output;
    }
    return outputs;
}

void SentenceModel::setOutputs(std::shared_ptr<const EvaluationResult> whole,
                               std::shared_ptr<const EvaluationResult> masked, ProblemType problem)
{
    m_whole = byRow(std::move(whole));
    m_masked = byRow(std::move(masked));
    m_problem = problem;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

const DataRow &SentenceModel::sentence(std::int64_t row) const
{
    std::optional<DataRow> &cached = m_rows.at(static_cast<std::size_t>(row));
    if (!cached)
        cached = m_reader(row);
    return *cached;
}

bool SentenceModel::isChanged(std::int64_t row) const
{
    const ExampleOutput *whole = wholeOutput(row);
    const ExampleOutput *masked = maskedOutput(row);
    if (!whole || !masked)
        return false;
    if (whole->logits.empty()) // texts, best guesses of a language model, or which sentence of a pair is likelier
        return whole->text != masked->text || whole->tokens != masked->tokens
            || (whole->score > whole->otherScore) != (masked->score > masked->otherScore);
    return m_problem == ProblemType::Regression ? whole->logits != masked->logits
                                                : whole->predicted != masked->predicted;
}

std::optional<bool> SentenceModel::rightness(std::int64_t row) const
{
    const ExampleOutput *output = maskedOutput(row) ? maskedOutput(row) : wholeOutput(row);
    return output ? isRight(*output, m_problem) : std::nullopt;
}

bool SentenceModel::isWrong(std::int64_t row) const
{
    return !rightness(row).value_or(true);
}

std::int64_t SentenceModel::changedCount() const
{
    std::int64_t count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += isChanged(row);
    return count;
}

std::int64_t SentenceModel::comparedCount() const
{
    std::int64_t count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += wholeOutput(row) && maskedOutput(row);
    return count;
}

std::int64_t SentenceModel::wrongCount() const
{
    std::int64_t count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += isWrong(row);
    return count;
}

bool SentenceModel::hasCorrectness() const
{
    for (int row = 0; row < rowCount(); ++row) {
        if (rightness(row))
            return true;
    }
    return false;
}

int SentenceModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QString SentenceModel::text(std::int64_t row) const
{
    const DataRow &data = sentence(row);
    const QString source = QString::fromStdString(data.source);
    return data.pair.empty() ? source : QString(source + u" ∥ "_s + QString::fromStdString(data.pair));
}

QString SentenceModel::marks(std::int64_t row) const
{
    return (isChanged(row) ? u"≠ "_s : QString()) + (isWrong(row) ? u"✗ "_s : QString());
}

QString SentenceModel::remarks(std::int64_t row) const
{
    return (isChanged(row) ? u'\n' + tr("The masks change its output.") : QString())
         + (isWrong(row) ? u'\n' + tr("Its label is not the right one.") : QString());
}

QVariant SentenceModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const std::int64_t row = index.row();
    switch (role) {
    case Qt::DisplayRole:
        return QString(marks(row) + QLocale().toString(static_cast<qlonglong>(row + 1)) + u"  "_s + text(row));
    case Qt::ToolTipRole:
        return plainTip(text(row) + remarks(row));
    case Qt::AccessibleDescriptionRole:
        return QString(text(row) + remarks(row));
    case RowRole:
        return static_cast<qlonglong>(row);
    case SearchRole:
        return QString(text(row) + u'\n' + QString::fromStdString(sentence(row).reference) + u'\n'
                       + (wholeOutput(row) ? QString::fromStdString(wholeOutput(row)->text) : QString()));
    case WordsRole:
        return static_cast<int>(text(row).simplified().count(u' ')) + 1;
    case ChangedRole:
        return isChanged(row) ? 1 : 0;
    case WrongRole:
        return isWrong(row) ? 1 : 0;
    default:
        return {};
    }
}

} // namespace headscope
