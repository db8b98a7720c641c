#include "ui/exporting/tableforms.h"

#include "core/base/parsednumber.h"
#include "core/exporting/texttable.h"
#include "core/formats/csv.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

/// Without the apostrophe that keeps spreadsheets from running a text.
std::string_view textOf(std::string_view field)
{
    const bool kept
        = field.size() > 1 && field[0] == '\'' && std::string_view("=+-@").find(field[1]) != std::string_view::npos;
    return kept ? field.substr(1) : field;
}

std::string rounded(double value)
{
    constexpr int kDigits = 4;
    const QString text = QString::number(value, 'g', kDigits);
    return QString(text).replace(u'-', u'−').toStdString();
}

} // namespace

Result<std::string> tableJson(const std::string &csv, const QString &name, const QString &caption)
{
    const auto lines = parseCsv(csv, name.toStdString());
    if (!lines.isOk())
        return lines.error();
    QJsonArray columns;
    QJsonArray rows;
    for (const CsvRow &line : lines.value()) {
        if (columns.isEmpty()) {
            for (const std::string &column : line)
                columns.append(QString::fromStdString(column));
            continue;
        }
        QJsonObject row;
        for (std::size_t i = 0; i < line.size() && i < static_cast<std::size_t>(columns.size()); ++i) {
            const std::string_view text = textOf(line[i]);
            const auto number = parsedNumber<double>(line[i]);
            row[columns[static_cast<qsizetype>(i)].toString()]
                = line[i].empty() ? QJsonValue()
                : number          ? QJsonValue(*number)
                                  : QJsonValue(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
        }
        rows.append(row);
    }
    const QJsonObject table{{u"name"_s, name}, {u"caption"_s, caption}, {u"columns"_s, columns}, {u"rows"_s, rows}};
    return QJsonDocument(table).toJson().toStdString();
}

Result<std::string> tableLatex(const std::string &csv, const QString &caption)
{
    const auto lines = parseCsv(csv, caption.toStdString());
    if (!lines.isOk())
        return lines.error();
    TextTable table;
    table.caption = caption.simplified().toStdString();
    for (const CsvRow &line : lines.value()) {
        if (table.columns.empty()) {
            table.columns = line;
            continue;
        }
        std::vector<std::string> row;
        for (const std::string &field : line) {
            const auto number = parsedNumber<double>(field);
            row.push_back(number ? rounded(*number) : field.empty() ? "–" : std::string(textOf(field)));
        }
        row.resize(table.columns.size());
        table.rows.push_back(std::move(row));
    }
    return toLatex(table);
}

} // namespace headscope
