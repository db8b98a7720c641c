#include "app/gui/dataoptions.h"

#include "ui/views/parallelfields.h"
#include "ui/views/tablefields.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace headscope {

namespace {
struct Words
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GuiOptions)
};

struct TableOption
{
    const char *name;
    std::string DataSource::*value;
};
constexpr TableOption kTableOptions[]
    = {{"--text-column", &DataSource::textColumn},     {"--pair-column", &DataSource::pairColumn},
       {"--label-column", &DataSource::labelColumn},   {"--label-map", &DataSource::labelMap},
       {"--worse-column", &DataSource::worseColumn},   {"--paradigm-column", &DataSource::paradigmColumn},
       {"--source-prefix", &DataSource::sourcePrefix}, {"--conllu", &DataSource::conllu}};

class DataOptionReader
{
public:
    explicit DataOptionReader(QStringList &arguments) : m_arguments(arguments) { }

    std::array<std::optional<DataSource>, 2> take()
    {
        while (m_at < m_arguments.size()) {
            if (!takeFiles() && !takeText() && !takeFlag() && !takeValue())
                m_rest << m_arguments[m_at++];
        }
        m_arguments = m_rest;
        for (auto &data : m_data) {
            if (data && data->source.empty() && data->table.empty() && data->conllu.empty() && data->text.empty())
                data.reset();
        }
        return m_data;
    }

private:
    QString next(qsizetype distance) const { return m_arguments.value(m_at + distance); }
    bool isFile(const QString &text) const { return !text.isEmpty() && !text.startsWith(QLatin1String("--")); }
    /// A model folder or a study may follow the one file of a table.
    bool isOpened(const QString &text) const
    {
        return text.endsWith(QLatin1String(".headscope")) || QFileInfo(text).isDir();
    }

    bool takeFiles()
    {
        const QString option = next(0);
        if (option != QLatin1String("--in") && option != QLatin1String("--out"))
            return false;
        m_slot = option == QLatin1String("--in") ? 0 : 1;
        DataSource data = m_both;
        const QString first = next(1);
        const QString second = next(2);
        const bool two = isFile(second) && !isTableName(first) && !isOpened(second);
        const bool trees = isTreesName(first);
        const bool table = trees || isTableName(first) || QFileInfo(first).suffix() == QLatin1String("txt");
        if (!isFile(first) || (!two && !table))
            throw Failure(usageError(
                Words::tr("%1 needs a table (.tsv, .csv, .jsonl, .txt), dependency trees (.conllu) or two files: "
                          "source and reference, one sentence a line.")
                    .arg(option)
                    .toStdString()));
        (trees ? data.conllu : two ? data.source : data.table) = first.toStdString();
        if (two)
            data.reference = second.toStdString();
        m_data[*m_slot] = data;
        m_at += two ? 3 : 2;
        return true;
    }

    /// Running text, for language models.
    bool takeText()
    {
        const QString option = next(0);
        if (option != QLatin1String("--in-text") && option != QLatin1String("--out-text"))
            return false;
        if (!isFile(next(1)))
            throw Failure(usageError(Words::tr("%1 needs a text file.").arg(option).toStdString()));
        m_slot = option == QLatin1String("--in-text") ? 0 : 1;
        DataSource data = m_both;
        data.text = next(1).toStdString();
        m_data[*m_slot] = data;
        m_at += 2;
        return true;
    }

    bool takeFlag()
    {
        if (next(0) != QLatin1String("--no-header") && next(0) != QLatin1String("--quoted"))
            return false;
        if (next(0) == QLatin1String("--quoted"))
            present().quoted = true;
        else
            present().header = false;
        ++m_at;
        return true;
    }

    bool takeValue()
    {
        const QString name = next(0).section(u'=', 0, 0);
        for (const TableOption &option : kTableOptions) {
            if (name != QLatin1String(option.name))
                continue;
            const bool inOne = next(0).contains(u'=');
            present().*option.value = value(name, inOne).toStdString();
            return true;
        }
        if (name != QLatin1String("--window-start"))
            return false;
        present().windowStart
            = parseName<WindowStart>(value(name, next(0).contains(u'=')).toStdString()).valueOrThrow();
        return true;
    }

    /// Of the option that comes next, which is passed by.
    QString value(const QString &name, bool inOne)
    {
        if (!inOne && !isFile(next(1)))
            throw Failure(usageError(Words::tr("%1 needs a value.").arg(name).toStdString()));
        const QString text = inOne ? next(0).section(u'=', 1) : next(1);
        m_at += inOne ? 1 : 2;
        return text;
    }

    DataSource &present() { return m_slot ? *m_data[*m_slot] : m_both; }

    QStringList &m_arguments;
    QStringList m_rest;
    qsizetype m_at = 0;
    DataSource m_both;
    std::array<std::optional<DataSource>, 2> m_data;
    std::optional<std::size_t> m_slot;
};
} // namespace

Result<std::array<std::optional<DataSource>, 2>> takeDataOptions(QStringList &arguments)
{
    try {
        return DataOptionReader(arguments).take();
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace headscope
