#include "core/formats/csv.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>

namespace headscope {
namespace {

class CsvParser
{
public:
    CsvParser(std::string_view text, char separator) : m_text(text), m_separator(separator), m_lineEnd(lineEndOf(text))
    {
    }

    /// Line of a quote that is never closed, 0 when all is well.
    std::size_t run()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '"' && m_field.empty() && !m_quoted) {
                if (!readQuoted())
                    return m_quoteLine;
                continue;
            }
            ++m_at;
            if (c == m_separator)
                endField();
            else if (c == m_lineEnd)
                endRow();
            else if (c != '\r' || m_at == m_text.size() || m_text[m_at] != '\n')
                m_field += c;
        }
        endRow();
        return 0;
    }

    std::vector<CsvRow> takeRows() { return std::move(m_rows); }

private:
    bool readQuoted()
    {
        m_quoted = true;
        m_quoteLine = m_line;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                if (m_at >= m_text.size() || m_text[m_at] != '"')
                    return true;
            }
            m_line += c == m_lineEnd;
            m_field += c;
        }
        return false;
    }

    void endField()
    {
        m_row.push_back(std::move(m_field));
        m_field.clear();
        m_quoted = false;
    }

    void endRow()
    {
        const bool isEmpty = m_row.empty() && m_field.empty() && !m_quoted;
        ++m_line;
        if (isEmpty)
            return;
        endField();
        m_rows.push_back(std::move(m_row));
        m_row.clear();
    }

    std::string_view m_text;
    char m_separator;
    char m_lineEnd;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    std::size_t m_quoteLine = 0;
    bool m_quoted = false; ///< the field began with a quote
    std::string m_field;
    CsvRow m_row;
    std::vector<CsvRow> m_rows;
};

} // namespace

Result<std::vector<CsvRow>> parseCsv(std::string_view text, const std::string &name, char separator)
{
    CsvParser parser(text, separator);
    if (const std::size_t line = parser.run())
        return badInput(fmt::format("{}: the quotation mark opened in line {} is never closed", name, line));
    return parser.takeRows();
}

std::vector<CsvRow> parseTsv(std::string_view text)
{
    std::vector<CsvRow> rows;
    for (const std::string &line : splitLines(text)) {
        if (line.empty())
            continue;
        CsvRow row;
        std::string_view rest = line;
        for (std::size_t tab = rest.find('\t'); tab != std::string_view::npos; tab = rest.find('\t')) {
            row.emplace_back(rest.substr(0, tab));
            rest.remove_prefix(tab + 1);
        }
        row.emplace_back(rest);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace headscope
