#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace headscope {

/// Builds the tables of exports: RFC 4180 quoting, C locale, the shortest text that reads back equal.
class CsvText
{
public:
    CsvText() = default;
    /// `header` is a line as it stands.
    explicit CsvText(std::string_view header) : m_text(header) { m_text += '\n'; }

    CsvText &operator<<(std::string_view field)
    {
        separate();
        if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
            m_text += field;
            return *this;
        }
        m_text += '"';
        for (char c : field) {
            if (c == '"')
                m_text += '"';
            m_text += c;
        }
        m_text += '"';
        return *this;
    }
    /// Not-a-number becomes an empty field.
    CsvText &operator<<(double value)
    {
        separate();
        if (!std::isnan(value))
            m_text += fmt::format("{}", value);
        return *this;
    }
    CsvText &operator<<(std::int64_t value)
    {
        separate();
        m_text += std::to_string(value);
        return *this;
    }
    CsvText &operator<<(int value) { return *this << static_cast<std::int64_t>(value); }
    void endLine()
    {
        m_text += '\n';
        m_first = true;
    }

    const std::string &text() const { return m_text; }

private:
    void separate()
    {
        if (!m_first)
            m_text += ',';
        m_first = false;
    }

    std::string m_text;
    bool m_first = true;
};

} // namespace headscope
