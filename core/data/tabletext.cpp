#include "core/data/readers.h"

#include "core/formats/csv.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

namespace headscope {
namespace {

// Names that common data sets give their columns, tried when the user names none.
constexpr std::initializer_list<const char *> kTextNames
    = {"text", "sentence", "source", "src", "sentence1", "premise", "question"};
constexpr std::initializer_list<const char *> kLabelNames = {"label", "reference", "target", "tgt"};

[[noreturn]] void fail(std::string message)
{
    throw Failure(badInput(std::move(message)));
}

// --- .tsv and .csv -------------------------------------------------------------------------------

/// Position of a column, -1 when the user named none and there is no usual one.
std::ptrdiff_t findColumn(const std::string &file, const CsvRow &header, const std::string &wanted,
                          std::initializer_list<const char *> usual)
{
    const auto position = [&](const std::string &name) -> std::ptrdiff_t {
        const auto found = std::find(header.begin(), header.end(), name);
        return found == header.end() ? -1 : found - header.begin();
    };
    if (!wanted.empty()) {
        const std::ptrdiff_t at = position(wanted);
        if (at < 0)
            fail(fmt::format("{} has no column \"{}\"; it has: {}", file, wanted, fmt::join(header, ", ")));
        return at;
    }
    for (const char *name : usual)
        if (const std::ptrdiff_t at = position(name); at >= 0)
            return at;
    return -1;
}

std::vector<Example> fromRows(const DataSource &source, std::vector<CsvRow> rows)
{
    if (rows.empty())
        fail(source.table + " is empty; column names in the first line were expected");
    const CsvRow header = std::move(rows.front());
    const auto text = findColumn(source.table, header, source.textColumn, kTextNames);
    if (text < 0)
        fail(fmt::format("{}: which column is the text? Give --text-column; it has: {}", source.table,
                         fmt::join(header, ", ")));
    const auto label = findColumn(source.table, header, source.labelColumn, kLabelNames);
    const auto pair = findColumn(source.table, header, source.pairColumn, {});
    if (rows.size() == 1)
        fail(source.table + " has column names but no rows");
    std::vector<Example> examples;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        CsvRow &row = rows[i];
        if (row.size() != header.size())
            fail(fmt::format("{}: row {} has {} columns instead of {}", source.table, i, row.size(), header.size()));
        Example example;
        const auto take = [&row](std::ptrdiff_t column) {
            return column < 0 ? std::string() : row[static_cast<std::size_t>(column)];
        };
        example.reference = take(label);
        example.pair = take(pair);
        example.source = take(text);
        examples.push_back(std::move(example));
    }
    return examples;
}

// --- .jsonl --------------------------------------------------------------------------------------

class JsonLine
{
public:
    JsonLine(const std::string &line, std::string place) : m_place(std::move(place))
    {
        m_json = parseJson(line, m_place).valueOrThrow();
        if (!m_json.is_object())
            fail(m_place + " is not a JSON object");
    }

    /// Null when there is none and none was asked for by name.
    const nlohmann::json *find(const std::string &wanted, std::initializer_list<const char *> usual) const
    {
        if (!wanted.empty()) {
            const auto found = m_json.find(wanted);
            if (found == m_json.end())
                fail(fmt::format("{} has no \"{}\"", m_place, wanted));
            return &*found;
        }
        for (const char *name : usual)
            if (const auto found = m_json.find(name); found != m_json.end())
                return &*found;
        return nullptr;
    }

    /// Numbers and truth values in the spelling of JSON.
    std::string text(const nlohmann::json *value) const
    {
        if (!value || value->is_null())
            return {};
        if (value->is_structured())
            fail(m_place + ": a text or number was expected instead of a list or object");
        return value->is_string() ? value->get<std::string>() : value->dump();
    }

    /// A list of whole numbers, or one; empty when absent.
    std::vector<std::int64_t> integers(const char *name) const
    {
        const auto found = m_json.find(name);
        if (found == m_json.end() || found->is_null())
            return {};
        std::vector<std::int64_t> values;
        const auto add = [&](const nlohmann::json &value) {
            if (!value.is_number_integer())
                fail(fmt::format("{}: \"{}\" must hold whole numbers", m_place, name));
            values.push_back(value.get<std::int64_t>());
        };
        if (found->is_array())
            std::for_each(found->begin(), found->end(), add);
        else
            add(*found);
        return values;
    }

    const std::string &place() const { return m_place; }

private:
    std::string m_place;
    nlohmann::json m_json;
};

Example fromJson(const DataSource &source, const JsonLine &line)
{
    Example example;
    example.inputIds = line.integers("input_ids");
    example.tokenTypeIds = line.integers("token_type_ids");
    example.labels = line.integers("labels");
    const nlohmann::json *text = line.find(source.textColumn, kTextNames);
    if (!text && example.inputIds.empty())
        fail(line.place() + " has neither a text nor input_ids; give --text-column");
    if (!example.tokenTypeIds.empty() && example.tokenTypeIds.size() != example.inputIds.size())
        fail(line.place() + ": token_type_ids and input_ids differ in length");
    example.source = line.text(text);
    example.reference = line.text(line.find(source.labelColumn, kLabelNames));
    example.pair = line.text(line.find(source.pairColumn, {}));
    return example;
}

std::vector<Example> fromJsonLines(const DataSource &source, const JobControl &control)
{
    const std::vector<std::string> lines = readLines(source.table, control).valueOrThrow();
    std::vector<Example> examples;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (trimmed(lines[i]).empty())
            continue;
        if (i % 1024 == 0)
            control.checkpoint();
        examples.push_back(fromJson(source, JsonLine(lines[i], fmt::format("{}: line {}", source.table, i + 1))));
    }
    if (examples.empty())
        fail(source.table + " is empty; one JSON object per line was expected");
    return examples;
}

} // namespace

Result<std::vector<Example>> readTable(const DataSource &source, const JobControl &control)
{
    const std::string extension = std::filesystem::path(withoutPacking(source.table)).extension().string();
    if (extension == ".jsonl")
        return fromJsonLines(source, control);
    if (extension == ".tsv")
        return fromRows(source, parseTsv(readText(source.table, control).valueOrThrow()));
    if (extension == ".csv")
        return fromRows(source, parseCsv(readText(source.table, control).valueOrThrow(), source.table).valueOrThrow());
    return badInput(source.table + " is no table that is known: the name must end in .tsv, .csv or .jsonl (.gz and .xz "
                                   "may follow)");
}

} // namespace headscope
