#include "core/data/columns.h"
#include "core/data/questions.h"
#include "core/data/readers.h"

#include "core/formats/csv.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// This many lines are all that a text may have.
constexpr std::int64_t kMostLines = kLargestText;

/// Marks around a field, each mark inside it twice, as in RFC 4180. `inside`: there are such marks.
bool isInMarks(std::string_view field, bool &inside)
{
    if (field.size() < 2 || !field.starts_with('"') || !field.ends_with('"'))
        return false;
    field = field.substr(1, field.size() - 2);
    for (std::size_t at = field.find('"'); at != std::string_view::npos; at = field.find('"', at + 2)) {
        if (field.substr(at, 2) != "\"\"")
            return false;
        inside = true;
    }
    return true;
}

/// Says so where fields that are read as they stand were plainly quoted by whoever wrote the file: whatever has marks
/// has them around it, and those inside are doubled, or every field is in marks. Empty where nothing tells.
std::string quotedNote(std::span<const CsvRow> rows)
{
    std::size_t quoted = 0;
    bool doubled = false;
    bool all = true;
    for (const CsvRow &row : rows) {
        bool any = false;
        for (const std::string &field : row) {
            const bool marked = isInMarks(field, doubled);
            if (!marked && field.find('"') != std::string::npos)
                return {};
            any = any || marked;
            all = all && marked;
        }
        quoted += any ? 1 : 0;
    }
    if (quoted == 0 || !(doubled || all))
        return {};
    return fmt::format(
        "{} of {} rows have fields in quotation marks as pandas and spreadsheets write them{}; the marks "
        "are read as part of the texts. If they are not, add --quoted",
        quoted, rows.size(), doubled ? ", with doubled ones inside" : "");
}

std::string textUnknown(const DataSource &source, const CsvRow &first)
{
    std::vector<std::string> numbered;
    for (const std::string &field : first)
        numbered.push_back(fmt::format("{} ({})", numbered.size() + 1, listed({field})));
    return fmt::format("{}: which column is the text? Give --text-column; it has: {}{}", source.table,
                       source.header ? listed(first) : fmt::format("{}", fmt::join(numbered, ", ")),
                       source.header ? ". If these are no names but the first row, add --no-header and give columns by "
                                       "number, from 1."
                                     : "")
         + (!source.quoted && std::ranges::any_of(first, [](const auto &field) { return field.starts_with('"'); })
                ? " If the fields are in quotation marks, add --quoted."
                : "");
}

[[noreturn]] void failRagged(const DataSource &source, std::size_t number, const CsvRow &row, std::size_t expected)
{
    std::string message
        = fmt::format("{}: row {} has {} columns instead of {}", source.table, number, row.size(), expected);
    if (!source.quoted && std::any_of(row.begin(), row.end(), [](const auto &field) { return field.starts_with('"'); }))
        message += "; if its texts are in quotation marks, as spreadsheets write them, add --quoted";
    failOnInput(message);
}

/// A table of questions: the fields of a row are read as the texts of a JSON object would be.
Table questionsOf(const DataSource &source, QuestionLayout layout, std::vector<std::string> names,
                  const std::vector<CsvRow> &rows)
{
    Table table;
    table.columns = questionColumns(layout, source, names, source.table);
    const std::size_t first = source.header ? 1 : 0;
    for (std::size_t i = first; i < rows.size(); ++i) {
        if (rows[i].size() != names.size())
            failRagged(source, i + 1 - first, rows[i], names.size());
        nlohmann::json values = nlohmann::json::object();
        for (std::size_t k = 0; k < names.size(); ++k)
            values[names[k]] = rows[i][k];
        table.examples.push_back(
            questionOf(values, layout, table.columns, source, fmt::format("{}: row {}", source.table, i + 1 - first)));
    }
    if (table.examples.empty())
        failOnInput(source.table + " has column names but no rows");
    table.columns.names = std::move(names);
    return table;
}

Table fromRows(const DataSource &source, std::vector<CsvRow> rows)
{
    if (rows.empty())
        failOnInput(source.table + " is empty; "
                    + (source.header ? "column names in the first line were expected" : "rows were expected"));
    std::vector<std::string> names = rows.front();
    if (!source.header)
        for (std::size_t i = 0; i < names.size(); ++i)
            names[i] = std::to_string(i + 1);
    Table table;
    if (const QuestionLayout layout = questionLayout(source, names); layout != QuestionLayout::None)
        return questionsOf(source, layout, std::move(names), rows);
    table.columns = chooseColumns(source, names, source.table);
    if (table.columns.text.empty()) {
        table.problem = textUnknown(source, rows.front());
        table.columns.names = std::move(names);
        return table;
    }
    const auto position = [&](const std::string &name) -> std::ptrdiff_t {
        return name.empty() ? -1 : std::find(names.begin(), names.end(), name) - names.begin();
    };
    const auto text = position(table.columns.text);
    const auto pair = position(table.columns.pair);
    const auto label = position(table.columns.label);
    const auto worse = position(table.columns.worse);
    const auto paradigm = position(table.columns.paradigm);
    const auto corrupt = position(table.columns.corrupt);
    const auto wrongAnswer = position(table.columns.wrongAnswer);
    const std::size_t first = source.header ? 1 : 0;
    if (rows.size() == first)
        failOnInput(source.table + " has column names but no rows");
    for (std::size_t i = first; i < rows.size(); ++i) {
        const CsvRow &row = rows[i];
        if (row.size() != names.size())
            failRagged(source, i + 1 - first, row, names.size());
        const auto take = [&row](std::ptrdiff_t column) {
            return column < 0 ? std::string() : row[static_cast<std::size_t>(column)];
        };
        Example example;
        example.source = take(text);
        example.reference = take(label);
        example.pair = take(pair);
        example.emptyPair = pair >= 0 && example.pair.empty();
        example.worse = take(worse);
        example.paradigm = take(paradigm);
        example.corrupt = take(corrupt);
        example.wrongAnswer = take(wrongAnswer);
        if (isWithoutGoldLabel(table.columns, example))
            ++table.withoutGold;
        else
            table.examples.push_back(std::move(example));
    }
    table.columns.names = std::move(names);
    return table;
}

} // namespace

bool isWithoutGoldLabel(const TableColumns &columns, const Example &example)
{
    return columns.label == "gold_label" && example.reference == "-";
}

Table parseTable(std::string_view text, TableForm form, const DataSource &source, const JobControl &control)
{
    switch (form) {
    case TableForm::Tsv: {
        std::vector<CsvRow> rows = parseTsv(text);
        const std::size_t first = source.header && !rows.empty() ? 1 : 0;
        std::string note = quotedNote(std::span(rows).subspan(first));
        Table table = fromRows(source, std::move(rows));
        if (!note.empty())
            table.warnings.push_back(std::move(note));
        return table;
    }
    case TableForm::QuotedTsv:
        return fromRows(source, parseCsv(text, source.table, '\t').valueOrThrow());
    case TableForm::Csv:
        return fromRows(source, parseCsv(text, source.table).valueOrThrow());
    case TableForm::JsonLines:
        break;
    }
    return parseJsonLines(text, source, control);
}

Table readTable(const DataSource &source, const JobControl &control)
{
    const std::string extension = std::filesystem::path(withoutPacking(source.table)).extension().string();
    TableForm form = TableForm::JsonLines;
    if (extension == ".tsv" || extension == ".txt")
        form = source.quoted ? TableForm::QuotedTsv : TableForm::Tsv;
    else if (extension == ".csv")
        form = TableForm::Csv;
    else if (extension != ".jsonl")
        failOnInput(source.table
                    + " is not a known kind of table: the name must end in .tsv, .txt, .csv or .jsonl (.gz and "
                      ".xz may follow)");
    // A packed table may be a thousand times as large as its file: where only its first rows are wanted (and no trees
    // go with all of them), the rest stays packed. Rows may take more lines than one, and some do not count.
    const bool quotes = form == TableForm::QuotedTsv || form == TableForm::Csv;
    // A pipe can be read once only.
    std::error_code ignored;
    const bool again = std::filesystem::is_regular_file(source.table, ignored);
    const bool beginning = source.limit > 0 && source.conllu.empty() && again;
    std::int64_t lines = beginning ? std::min(source.limit, kMostLines) + 1 : 0;
    for (;; lines = std::min(lines * 4, kMostLines)) {
        const std::string text = readText(source.table, control, kLargestText, lines).valueOrThrow();
        const bool whole = lines == 0 || lines == kMostLines || std::ranges::count(text, '\n') < lines;
        if (!whole && quotes && std::ranges::count(text, '"') % 2 != 0)
            continue;
        Table table = parseTable(text, form, source, control);
        if (whole || !table.problem.empty() || std::ssize(table.examples) >= source.limit)
            return table;
    }
}

} // namespace headscope
