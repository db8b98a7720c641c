#include "ui/pages/attention/sentencemodel.h"

#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

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

namespace {

std::vector<double> probabilitiesOf(const std::vector<float> &logits)
{
    const double most = *std::ranges::max_element(logits);
    std::vector<double> shares;
    double sum = 0;
    for (const float logit : logits)
        sum += shares.emplace_back(std::exp(logit - most));
    for (double &share : shares)
        share /= sum;
    return shares;
}

/// Of the words of both texts, how many are not in a longest common subsequence.
double shareOfOtherWords(const std::string &a, const std::string &b)
{
    const QStringList left = QString::fromStdString(a).split(u' ', Qt::SkipEmptyParts);
    const QStringList right = QString::fromStdString(b).split(u' ', Qt::SkipEmptyParts);
    if (left.isEmpty() && right.isEmpty())
        return 0;
    std::vector<int> common(static_cast<std::size_t>(right.size()) + 1, 0);
    for (const QString &word : left) {
        int before = 0; // of the row above, one column to the left
        for (std::size_t j = 1; j < common.size(); ++j) {
            const int above = common[j];
            common[j] = word == right[static_cast<qsizetype>(j) - 1] ? before + 1 : std::max(common[j], common[j - 1]);
            before = above;
        }
    }
    return 1 - 2.0 * common.back() / static_cast<double>(left.size() + right.size());
}

} // namespace

std::optional<double> SentenceModel::change(std::int64_t row) const
{
    const ExampleOutput *whole = wholeOutput(row);
    const ExampleOutput *masked = maskedOutput(row);
    if (!whole || !masked)
        return {};
    if (whole->logits.empty()) {
        if (!whole->text.empty() || !masked->text.empty())
            return shareOfOtherWords(whole->text, masked->text);
        const auto tokens = static_cast<double>(std::max<std::size_t>(whole->tokens.size(), 1));
        return 1 - std::exp(-std::abs(whole->score - masked->score) / tokens);
    }
    if (whole->logits.size() != masked->logits.size())
        return {};
    if (m_problem != ProblemType::SingleLabel || whole->logits.size() < 2) {
        double far = 0;
        for (std::size_t i = 0; i < whole->logits.size(); ++i)
            far = std::max(far, static_cast<double>(std::abs(whole->logits[i] - masked->logits[i])));
        return far / (1 + far);
    }
    const std::vector<double> before = probabilitiesOf(whole->logits);
    const std::vector<double> after = probabilitiesOf(masked->logits);
    double moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        moved += std::abs(before[i] - after[i]);
    return moved / 2;
}

std::optional<double> SentenceModel::loss(std::int64_t row) const
{
    const ExampleOutput *output = maskedOutput(row) ? maskedOutput(row) : wholeOutput(row);
    if (!output)
        return {};
    if (output->logits.empty())
        return -output->score / static_cast<double>(std::max<std::size_t>(output->tokens.size(), 1));
    if (m_problem != ProblemType::SingleLabel || output->labels.size() != 1 || output->logits.size() < 2)
        return {};
    const auto label = static_cast<std::size_t>(output->labels.front());
    if (output->labels.front() < 0 || label >= output->logits.size())
        return {};
    return -std::log(std::max(probabilitiesOf(output->logits)[label], 1e-300));
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
    case ChangeRole:
        return change(row).value_or(-1);
    case LossRole:
        return loss(row).value_or(-1);
    case WrongRole:
        return isWrong(row) ? 1 : 0;
    default:
        return {};
    }
}

} // namespace headscope
