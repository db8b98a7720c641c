#include "core/exporting/csvwriter.h"

#include <fmt/format.h>

#include <cmath>

namespace headscope {

void CsvWriter::separate()
{
    if (!m_first)
        m_text += ',';
    m_first = false;
}

CsvWriter &CsvWriter::operator<<(std::string_view field)
{
    separate();
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

} // namespace headscope
