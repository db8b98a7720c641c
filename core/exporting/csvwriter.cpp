#include "core/exporting/csvwriter.h"

#include "core/base/parsednumber.h"
#include "core/exporting/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace headscope {

void CsvWriter::separate()
{
    if (!m_first)
        m_text += ',';
    m_first = false;
}

namespace {

/// Spreadsheets take such a text for a formula, unless it is a number.
bool looksLikeFormula(std::string_view field)
{
    if (field.empty() || std::string_view("=+-@\t\r").find(field.front()) == std::string_view::npos)
        return false;
    return !parsedNumber<double>(field);
}

} // namespace

CsvWriter &CsvWriter::operator<<(std::string_view text)
{
    separate();
    const std::string harmless = looksLikeFormula(text) ? "'" + std::string(text) : std::string();
    const std::string_view field = harmless.empty() ? text : std::string_view(harmless);
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        m_text += field;
        return *this;
    }
    m_text += '"';
    for (const char c : field) {
        if (c == '"')
            m_text += '"';
        m_text += c;
    }
    m_text += '"';
    return *this;
}

CsvWriter &CsvWriter::operator<<(double value)
{
    separate();
    if (!std::isnan(value))
        m_text += fmt::format("{}", value);
    return *this;
}

CsvWriter &CsvWriter::operator<<(float value)
{
    separate();
    if (!std::isnan(value))
        m_text += fmt::format("{}", value);
    return *this;
}

CsvWriter &CsvWriter::operator<<(std::int64_t value)
{
    separate();
    m_text += std::to_string(value);
    return *this;
}

void CsvWriter::endLine()
{
    m_text += '\n';
    m_first = true;
}

void CsvWriter::header(std::initializer_list<std::string_view> columns, std::initializer_list<std::string_view> last)
{
    for (const std::string_view column : columns)
        *this << column;
    for (const std::string_view column : last) {
        if (!column.empty())
            *this << column;
    }
    endLine();
}

} // namespace headscope
