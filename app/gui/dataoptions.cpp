#include "app/gui/dataoptions.h"

#include "core/data/readingoptions.h"
#include "ui/language/corewords.h"
#include "ui/views/parallelfields.h"
#include "ui/views/tablefields.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {
struct Words
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GuiOptions)
};

/// The visitor of readingoptions.h that reads one option of an argument list.
class ReadingOption
{
public:
    /// `value` takes the option's value out of the list.
    ReadingOption(const QString &option, std::function<QString()> value) : m_option(option), m_value(std::move(value))
    {
    }

    bool isFound() const { return m_isFound; }
    bool isFlag() const { return m_isFlag; }

    void flag(const char *name, bool &value, const char *) { set(name, value, true); }
    void without(const char *name, bool &value, const char *) { set(name, value, false); }
    void text(const char *name, std::string &value, const char *, const char *)
    {
        if (isNamed(name))
            value = m_value().toStdString();
    }
    void integer(const char *name, std::int64_t &value, const IntegerRange &range, const char *)
    {
        if (!isNamed(name))
            return;
        const QString text = m_value();
        bool ok = false;
        const qlonglong number = text.toLongLong(&ok);
        if (!ok || !isWithin(number, range))
            throw Failure(usageError(Words::tr("--%1 needs a whole number from %2, not \"%3\".")
                                         .arg(QLatin1String(name))
                                         .arg(range.least)
                                         .arg(text)
                                         .toStdString()));
        value = number;
    }
    template<typename E>
    void choice(const char *name, E &value, const char *)
    {
        if (isNamed(name))
            value = parseName<E>(m_value().toStdString()).valueOrThrow();
    }

private:
    bool isNamed(const char *name)
    {
        const bool isIt = m_option == QLatin1String("--") + QLatin1String(name);
        m_isFound = m_isFound || isIt;
        return isIt;
    }
    void set(const char *name, bool &value, bool on)
    {
        if (!isNamed(name))
            return;
        m_isFlag = true;
        value = on;
    }

    QString m_option;
    std::function<QString()> m_value;
    bool m_isFound = false;
    bool m_isFlag = false;
};

/// The visitor of readingoptions.h that lists options for help.
class OptionLister
{
public:
    QList<QCommandLineOption> list;

    void flag(const char *name, bool &, const char *help) { add(name, help, QString()); }
    void without(const char *name, bool &, const char *help) { add(name, help, QString()); }
    void text(const char *name, std::string &, const char *type, const char *help)
    {
        add(name, help, QString::fromLatin1(type));
    }
    void integer(const char *name, std::int64_t &, const IntegerRange &, const char *help)
    {
        add(name, help, QStringLiteral("N"));
    }
    template<typename E>
    void choice(const char *name, E &, const char *help)
    {
        QStringList names;
        for (const std::string_view one : EnumNames<E>::values)
            names << QString::fromUtf8(one.data(), static_cast<qsizetype>(one.size()));
        add(name, help, names.join(u'|'));
    }

private:
    void add(const char *name, const char *help, const QString &value)
    {
        const QString text = fromCore(help);
        list.emplace_back(QString::fromLatin1(name), text.endsWith(u'.') ? text : text + u'.', value);
    }
};

class DataOptionReader
{
public:
    explicit DataOptionReader(QStringList &arguments) : m_arguments(arguments) { }

    std::array<std::optional<DataSource>, 2> take()
    {
        while (m_at < m_arguments.size()) {
            if (!takeFiles() && !takeText() && !takeReading())
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

    bool takeReading()
    {
        const QString name = next(0).section(u'=', 0, 0);
        const bool inOne = next(0).contains(u'=');
        if (name == QLatin1String("--limit")) // of both data sets
            return false;
        for (const auto &[option, member] :
             {std::pair("--source-prefix", &DataSource::sourcePrefix), std::pair("--conllu", &DataSource::conllu),
              std::pair("--shots-file", &DataSource::shotsFile)}) {
            if (name != QLatin1String(option))
                continue;
            present().*member = value(name, inOne).toStdString();
            return true;
        }
        ReadingOption option(name, [&] { return value(name, inOne); });
        describeReading(option, present());
        if (option.isFlag())
            ++m_at;
        return option.isFound();
    }

    /// The value of the option that comes next, which is passed by.
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

QList<QCommandLineOption> readingOptions()
{
    OptionLister lister;
    DataSource data;
    describeReading(lister, data);
    return lister.list;
}

} // namespace headscope
