#include "ui/views/sentencemodel.h"

#include <QLocale>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

std::vector<std::optional<std::string>> outputsByRow(const EvaluationResult *result, std::size_t rows)
{
    std::vector<std::optional<std::string>> outputs(rows);
    if (!result)
        return outputs;
    for (const ExampleOutput &output : result->outputs) {
        if (output.index >= 0 && static_cast<std::size_t>(output.index) < rows)
            outputs[static_cast<std::size_t>(output.index)] = output.text;
    }
    return outputs;
}

} // namespace

SentenceModel::SentenceModel(QObject *parent) : QAbstractListModel(parent)
{
}

void SentenceModel::setSentences(std::int64_t count, Reader reader)
{
    beginResetModel();
    m_reader = std::move(reader);
    m_rows.assign(static_cast<std::size_t>(count), {});
    m_whole.assign(m_rows.size(), {});
    m_masked.assign(m_rows.size(), {});
    endResetModel();
}

void SentenceModel::setOutputs(const EvaluationResult *whole, const EvaluationResult *masked)
{
    m_whole = outputsByRow(whole, m_rows.size());
    m_masked = outputsByRow(masked, m_rows.size());
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

QString SentenceModel::wholeOutput(std::int64_t row) const
{
    return QString::fromStdString(m_whole.at(static_cast<std::size_t>(row)).value_or(std::string()));
}

std::optional<QString> SentenceModel::maskedOutput(std::int64_t row) const
{
    const auto &output = m_masked.at(static_cast<std::size_t>(row));
    return output ? std::optional(QString::fromStdString(*output)) : std::nullopt;
}

bool SentenceModel::isChanged(std::int64_t row) const
{
    const auto &whole = m_whole.at(static_cast<std::size_t>(row));
    const auto &masked = m_masked.at(static_cast<std::size_t>(row));
    return whole && masked && *whole != *masked;
}

std::int64_t SentenceModel::changedCount() const
{
    std::int64_t count = 0;
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        count += isChanged(static_cast<std::int64_t>(row));
    return count;
}

int SentenceModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant SentenceModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const std::int64_t row = index.row();
    const auto source = [&] { return QString::fromStdString(sentence(row).source); };
    switch (role) {
    case Qt::DisplayRole:
        return QString((isChanged(row) ? u"≠ "_s : QString()) + QLocale().toString(static_cast<qlonglong>(row + 1))
                       + u"  "_s + source());
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return isChanged(row) ? QString(source() + u'\n' + tr("The masks change its output.")) : source();
    case RowRole:
        return static_cast<qlonglong>(row);
    case SearchRole:
        return QString(source() + u'\n' + QString::fromStdString(sentence(row).reference) + u'\n' + wholeOutput(row));
    case WordsRole:
        return static_cast<int>(source().simplified().count(u' ')) + 1;
    case ChangedRole:
        return isChanged(row) ? 1 : 0;
    default:
        return {};
    }
}

} // namespace headscope
